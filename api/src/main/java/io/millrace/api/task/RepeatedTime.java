package io.millrace.api.task;

/** What becomes of a planned time that the clocks show twice when summer time ends. */
public enum RepeatedTime {
  /** It happens the first time only. */
  FIRST,
  /** It happens the second time only. */
  SECOND,
  /** It happens both times. */
  BOTH
}
