package io.millrace.api.event;

/** Why an event was returned unfinished. */
public enum RefusalKind {
  /**
   * The worker failed. Charged to the event if it was alone in its batch; after a failed batch its
   * events are delivered one by one, so that the poison event is isolated.
   */
  FAILED,
  /** A lost node, a drain or a failed start: counted separately, with a higher limit. */
  RETURNED,
  /**
   * The workers of the whole queue fail on every event: not charged to the events, which are still
   * delivered in batches. Queue nodes derive it from FAILED.
   */
  EXCUSED
}
