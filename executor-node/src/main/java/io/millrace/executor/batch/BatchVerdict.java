package io.millrace.executor.batch;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.execution.CommandEnd;

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
   * @param lastLines of its error output; null for none
   */
  static BatchVerdict of(CommandEnd ending, String lastLines) {
    return switch (ending.kind()) {
      case EXITED ->
          ending.exitCode().orElse(-1) == 0
              ? new Acknowledge()
              : new Refuse(RefusalKind.FAILED, reason(ending, lastLines));
      case SIGNALLED, TIMED_OUT, MEMORY_EXCEEDED ->
          new Refuse(RefusalKind.FAILED, reason(ending, lastLines));
      case START_FAILED, REFUSED, STOPPED, NEVER_BEGAN, LOST, UNKILLABLE ->
          new Refuse(RefusalKind.RETURNED, reason(ending, null));
    };
  }

  private static String reason(CommandEnd ending, String lastLines) {
    String reason = ending.reason();
    if (lastLines == null) {
      return cut(reason);
    }
    int available = LONGEST_REASON - reason.length() - 2;
    if (available <= 0) {
      return cut(reason);
    }
    return reason + ": " + lastLines.substring(Math.max(0, lastLines.length() - available));
  }

  private static String cut(String reason) {
    return reason.substring(0, Math.min(LONGEST_REASON, reason.length()));
  }
}
