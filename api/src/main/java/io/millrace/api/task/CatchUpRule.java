package io.millrace.api.task;

/** What happens to planned times that passed while nothing could be started; all are recorded. */
public enum CatchUpRule {
  /** They are recorded as missed. */
  NONE,
  /** The last one runs, the others are recorded as missed. */
  LAST,
  /** They run one after the other, up to the schedule's limit, the newest ones. */
  ALL
}
