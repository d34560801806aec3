package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.Reason;
import io.millrace.manager.pacing.ThresholdState;

/**
 * A static configuration: the same number of workers per second for ever, whatever arrives (H-002).
 * For comparisons in the simulator only. What a fraction of a worker has earned is kept where the
 * published rule keeps it.
 */
final class FixedPolicy implements PacingPolicy {
  static final String NAME = "fixed";

  private final double workersPerSecond;

  FixedPolicy(double workersPerSecond) {
    if (!(workersPerSecond > 0)) {
      throw new IllegalArgumentException("a fixed rate is above zero, not " + workersPerSecond);
    }
    this.workersPerSecond = workersPerSecond;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacingDecision decide(
      PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
    double seconds = Steps.seconds(snapshot.sinceLastTick());
    double owed = state.threshold().owed() + seconds * workersPerSecond;
    int workers = (int) Math.floor(owed + 1e-9);
    ThresholdState before = state.threshold();
    ThresholdState after =
        new ThresholdState(
            before.rate(),
            Math.max(0, owed - workers),
            before.readings(),
            before.sinceReading(),
            before.sinceEvaluation());
    return new PacingDecision(
        workers,
        workers,
        Gate.NONE,
        Reason.of(() -> workersPerSecond + " workers/s as configured"),
        new PacingState(state.arrivals(), state.completions(), after));
  }
}
