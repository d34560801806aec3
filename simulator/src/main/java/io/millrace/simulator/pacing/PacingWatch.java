package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingSnapshot;

/** Is told what a simulation does, as it does it. Called by the simulation's thread. */
@FunctionalInterface
public interface PacingWatch {
  /** Watches nothing. */
  PacingWatch NONE = (second, seen, decision) -> {};

  /**
   * After a tick of the queue manager.
   *
   * @param second from the start
   */
  void decided(double second, PacingSnapshot seen, PacingDecision decision);
}
