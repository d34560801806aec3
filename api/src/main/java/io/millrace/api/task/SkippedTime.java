package io.millrace.api.task;

import com.fasterxml.jackson.annotation.JsonAlias;

/** What becomes of a planned time that the clocks jump over when summer time begins. */
public enum SkippedTime {
  /** It happens once, right after the gap. */
  @JsonAlias("after-gap")
  AFTER_GAP,
  /** It does not happen that day. */
  NEVER
}
