package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import java.time.Instant;

/** Decides what an array needs next: pure. */
final class ArrayStepPolicy {
  private ArrayStepPolicy() {}

  /**
   * What is to be seen of an array's elements.
   *
   * @param running whether one runs
   * @param waiting whether one waits for a slot
   * @param blocked whether one waits for its turn in the array
   * @param unasked whether one that has not ended was not asked to
   */
  record Signs(boolean running, boolean waiting, boolean blocked, boolean unasked) {}

  static ArrayStep next(JobFacts array, ArrayRow row, Signs signs, Instant now) {
    JobState state = array.state();
    if (row.settled()) {
      return ArrayStep.NONE;
    }
    if (state.ended()) {
      if (row.open() > 0 && row.hungry()) {
        return ArrayStep.REVIVE;
      }
      return row.open() == 0 ? ArrayStep.SETTLE : ArrayStep.NONE;
    }
    boolean ending = array.cancelReason() != null;
    if (!ending && array.deadline() != null && !array.deadline().isAfter(now)) {
      return ArrayStep.EXPIRE;
    }
    if (state == JobState.WAITING && (signs.running() || row.succeeded() + row.failed() > 0)) {
      return ArrayStep.START;
    }
    if (row.endsFrom(state)) {
      return ArrayStep.END;
    }
    if (ending) {
      return signs.unasked() ? ArrayStep.CANCEL_ELEMENTS : ArrayStep.NONE;
    }
    if (array.held()) {
      return signs.waiting() ? ArrayStep.TAKE_BACK : ArrayStep.NONE;
    }
    if (row.again() != null && state != JobState.BLOCKED) {
      return ArrayStep.TRY_AGAIN;
    }
    return signs.blocked() && !row.hungry() ? ArrayStep.WAKE : ArrayStep.NONE;
  }

/** What an array needs next so that it follows its elements. */
enum ArrayStep {
  /** Nothing. */
  NONE,
  /** It has ended and so have all its elements: nobody looks at it any more. */
  SETTLE,
  /** It had ended, and an element of it waits again. */
  REVIVE,
  /** Its deadline has passed. */
  EXPIRE,
  /** Its first element has started. */
  START,
  /** It was asked to end, and elements of it were not yet. */
  CANCEL_ELEMENTS,
  /** It is held, and elements of it wait for a slot. */
  TAKE_BACK,
  /** It is tried again, and ended elements of it were not yet. */
  TRY_AGAIN,
  /** Elements of it wait for their turn, and the feed has given it up. */
  WAKE,
  /** All its elements have ended. */
  END
}
}
