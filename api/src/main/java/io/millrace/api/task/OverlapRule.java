package io.millrace.api.task;

/** What happens to a planned run while the previous one is still running. */
public enum OverlapRule {
  /** It is recorded as skipped. */
  SKIP,
  /** It waits for the end of the other; at most one waits. */
  QUEUE,
  /** The other is stopped and this one runs. */
  REPLACE
}
