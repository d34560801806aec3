package io.millrace.api.task;

/**
 * What becomes of planned times that passed while nothing could be started; all are recorded,
 * whatever runs.
 */
public enum CatchUpRule {
  /** They are recorded as missed. */
  NONE,
  /** The last of them runs, the others are recorded as missed. */
  LAST,
  /** They run one after the other, at most so many as the schedule says, the newest ones. */
  ALL
}
