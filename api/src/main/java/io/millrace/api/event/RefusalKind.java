package io.millrace.api.event;

/** Whose fault it was that an event came back unfinished. */
public enum RefusalKind {
  /**
   * The worker failed. Charged to the event when the worker had it alone; after a failed batch its
   * events are delivered singly, so that the poison one stands alone.
   */
  FAILED,
  /** A lost node, a drain, a failed start: counted apart, with a higher limit. */
  RETURNED,
  /**
   * The workers of the whole queue fail, whatever they are given: charged to nobody, and its events
   * are delivered in batches as before. Queue nodes make it of FAILED by themselves.
   */
  EXCUSED
}
