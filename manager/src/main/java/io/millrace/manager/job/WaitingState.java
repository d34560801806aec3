package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.job.JobState;

/**
 * Which of the waiting states a job that has not ended and does not run is in; nothing else decides
 * it.
 */
@Pure
final class WaitingState {
  private WaitingState() {}

  /**
   * Decides.
   *
   * @param held whether somebody wants it to wait
   * @param unmet dependencies that are not met yet
   * @param itsTurn whether nothing is before it in its serial lane and, of an element, whether its
   *     array lets it go on; true without either
   */
  static JobState of(boolean held, int unmet, boolean itsTurn) {
    if (held) {
      return JobState.HELD;
    }
    return unmet > 0 || !itsTurn ? JobState.BLOCKED : JobState.WAITING;
  }
}
