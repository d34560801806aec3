package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.time.Instant;

/** Decides what an array needs next to follow its elements. Pure. */
final class ArrayStepPolicy {
  private ArrayStepPolicy() {}

  /** What an array needs next. */
  enum ArrayStep {
    /** Nothing. */
    NONE,
    /** It has ended and so have all its elements: it need not be reconciled any more. */
    FINISH,
    /** It had ended, and one of its elements waits again. */
    REVIVE,
    /** Its deadline has passed. */
    EXPIRE,
    /** Its first element has started. */
    START,
    /** It is cancelled, and some of its elements are not yet. */
    CANCEL_ELEMENTS,
    /** It is held, and elements of it wait for a slot. */
    WITHDRAW,
    /** It is retried, and some of its ended elements are not yet. */
    RETRY_ELEMENTS,
    /** Elements of it wait for their turn, and it is not marked as expandable. */
    EXPAND,
    /** All its elements have ended. */
    END
  }

  /**
   * Which elements an array has.
   *
   * @param running whether one is running
   * @param waiting whether one waits for a slot
   * @param blocked whether one waits for its turn in the array
   * @param uncancelled whether one has neither ended nor been cancelled
   */
  record ElementStates(boolean running, boolean waiting, boolean blocked, boolean uncancelled) {}

  static ArrayStep next(JobFacts array, ArrayRow row, ElementStates elements, Instant now) {
    JobState state = array.state();
    if (row.finished()) {
      return ArrayStep.NONE;
    }
    if (state.ended()) {
      if (row.open() > 0 && row.expandable()) {
        return ArrayStep.REVIVE;
      }
      return row.open() == 0 ? ArrayStep.FINISH : ArrayStep.NONE;
    }
    boolean ending = array.cancelReason() != null;
    if (!ending && array.deadline() != null && !array.deadline().isAfter(now)) {
      return ArrayStep.EXPIRE;
    }
    if (state == JobState.WAITING && (elements.running() || row.succeeded() + row.failed() > 0)) {
      return ArrayStep.START;
    }
    if (row.endsFrom(state)) {
      return ArrayStep.END;
    }
    if (ending) {
      return elements.uncancelled() ? ArrayStep.CANCEL_ELEMENTS : ArrayStep.NONE;
    }
    if (array.held()) {
      return elements.waiting() ? ArrayStep.WITHDRAW : ArrayStep.NONE;
    }
    if (row.retry() != null && state != JobState.BLOCKED) {
      return ArrayStep.RETRY_ELEMENTS;
    }
    return elements.blocked() && !row.expandable() ? ArrayStep.EXPAND : ArrayStep.NONE;
  }
}
