package io.millrace.api.task;

/** What happens to a planned time that occurs twice when daylight saving time ends. */
public enum RepeatedTime {
  /** It runs the first time only. */
  FIRST,
  /** It runs the second time only. */
  SECOND,
  /** It runs both times. */
  BOTH
}
