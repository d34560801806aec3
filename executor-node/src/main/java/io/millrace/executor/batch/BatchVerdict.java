package io.millrace.executor.batch;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.executor.supervision.ProcessExit;

/** What a worker's end means for its events (H-094). Pure. */
public sealed interface BatchVerdict {
  /** The events are done. */
  record Acknowledge() implements BatchVerdict {}

  /**
   * The events are returned.
   *
   * @param kind whose fault it was
   * @param reason for the dead letter
   */
  record Refuse(RefusalKind kind, String reason) implements BatchVerdict {}

  /** The longest reason that a queue node keeps. */
  int LONGEST_REASON = 2_000;

  /**
   * Decides on an end: only an end that the worker itself may have caused is charged to the events.
   *
   * @param lastWords of its error output; null for none
   */
  static BatchVerdict of(ProcessExit ending, String lastWords) {
    return switch (ending.kind()) {
      case EXITED ->
          ending.exitCode().orElse(-1) == 0
              ? new Acknowledge()
              : new Refuse(RefusalKind.FAILED, reason(ending, lastWords));
      case SIGNALLED, TIMED_OUT, MEMORY_EXCEEDED ->
          new Refuse(RefusalKind.FAILED, reason(ending, lastWords));
      case START_FAILED, STOPPED, LOST, UNKILLABLE ->
          new Refuse(RefusalKind.RETURNED, reason(ending, null));
    };
  }

  private static String reason(ProcessExit ending, String lastWords) {
    String reason = ending.reason();
    if (lastWords == null) {
      return cut(reason);
    }
    int room = LONGEST_REASON - reason.length() - 2;
    if (room <= 0) {
      return cut(reason);
    }
    return reason + ": " + lastWords.substring(Math.max(0, lastWords.length() - room));
  }

  private static String cut(String reason) {
    return reason.substring(0, Math.min(LONGEST_REASON, reason.length()));
  }
}
