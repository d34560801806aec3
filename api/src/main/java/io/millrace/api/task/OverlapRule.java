package io.millrace.api.task;

/** What becomes of a planned run while the one before still runs. */
public enum OverlapRule {
  /** It is recorded as skipped. */
  SKIP,
  /** It waits for the end of the other; at most one waits. */
  QUEUE,
  /** The other is stopped and this one runs. */
  REPLACE
}
