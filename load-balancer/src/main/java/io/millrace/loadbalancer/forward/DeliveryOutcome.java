package io.millrace.loadbalancer.forward;

import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;

/** What came of a batch at one node. */
sealed interface DeliveryOutcome {
  /** The node has it. */
  record Stored(SendAnswer answer) implements DeliveryOutcome {}

  /** Refused for good: another node would say the same. */
  record Refused(MillraceException problem) implements DeliveryOutcome {}

  /**
   * To be tried elsewhere.
   *
   * @param trace whether the node may have it
   */
  record Elsewhere(MillraceException problem, Trace trace) implements DeliveryOutcome {}

  /** What a node may have of a batch that it did not acknowledge. */
  enum Trace {
    /** It answered, and stored nothing of it for this request. */
    REFUSED,
    /** It was not reached by this request. */
    NOT_REACHED,
    /** It may have stored it. */
    UNKNOWN
  }
}
