package io.millrace.simulator.replay;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.simulator.pacing.PacingWatch;

/**
 * Reads off a simulation what the history of decisions would keep of it: those that start
 * something, those whose gate is another one, and one a minute. For one run, by one thread.
 */
final class KeptDecisions implements PacingWatch {
  private static final double KEEP_EVERY = 60;

  private final Readings readings;
  private double keptAt = Double.NEGATIVE_INFINITY;
  private Gate keptGate = Gate.NONE;

  KeptDecisions(Readings readings) {
    this.readings = readings;
  }

  @Override
  public void decided(double second, PacingSnapshot seen, PacingDecision decision) {
    boolean tells =
        decision.workers() > 0 || decision.gate() != keptGate || second > keptAt + KEEP_EVERY;
    if (tells) {
      keptAt = second;
      keptGate = decision.gate();
      seen.queue().ifPresent(queue -> readings.add(queue));
    }
  }
}
