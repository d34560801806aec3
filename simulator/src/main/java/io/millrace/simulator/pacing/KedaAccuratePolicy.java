package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.Reason;
import io.millrace.manager.pacing.WorkerFigures;

/**
 * The {@code accurate} strategy of KEDA's ScaledJob, for comparisons in the simulator only: as many
 * jobs as events wait per target, less those that are pending, and never more than the maximum
 * together with those that run.
 */
final class KedaAccuratePolicy implements PacingPolicy {
  static final String NAME = "keda-accurate";

  private final double target;
  private final int maximum;

  /**
   * The formula with its settings.
   *
   * @param target waiting events for which one job is wanted
   * @param maximum jobs that may run
   */
  KedaAccuratePolicy(double target, int maximum) {
    if (!(target > 0) || maximum < 1) {
      throw new IllegalArgumentException("target and maximum are above zero");
    }
    this.target = target;
    this.maximum = maximum;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacingDecision decide(
      PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
    WorkerFigures workers = snapshot.workers().orElseThrow();
    long waiting = snapshot.queue().orElseThrow().waiting();
    int pending = workers.notStarted();
    int running = workers.outstanding();
    int scale = (int) Math.min(Math.ceil(waiting / target), maximum);
    int jobs = scale + running - pending > maximum ? maximum - running : scale - pending;
    int submitted = Math.max(0, jobs);
    return new PacingDecision(
        submitted,
        submitted,
        Gate.NONE,
        Reason.of(() -> waiting + " waiting by " + target + ", " + pending + " pending"),
        state);
  }
}
