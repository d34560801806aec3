package io.millrace.simulator.replay;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.Reason;
import java.util.List;

/**
 * Submits what was recorded when it was recorded, whatever waits: what the simulated world makes of
 * it tells how true that world is. For one run, by one thread.
 */
final class RecordedStarts implements PacingPolicy {
  static final String NAME = "recorded";

  private static final Reason REASON = Reason.of("as recorded");

  private final RecordedSegment segment;
  private final double firstSecond;
  private double second;
  private int next;

  /**
   * The starts of a segment.
   *
   * @param firstSecond of the simulation's first tick
   */
  RecordedStarts(RecordedSegment segment, double firstSecond) {
    this.segment = segment;
    this.firstSecond = firstSecond;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacingDecision decide(
      PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
    second = Math.max(firstSecond, second + snapshot.sinceLastTick().toNanos() / 1e9);
    List<RecordedDecision> decisions = segment.decisions();
    int workers = 0;
    while (next < decisions.size()
        && decisions.get(next).secondsFrom(segment.origin()) <= second + 1e-9) {
      workers += decisions.get(next).start();
      next++;
    }
    return new PacingDecision(workers, workers, Gate.NONE, REASON, state);
  }
}
