package io.millrace.api.task;

import com.fasterxml.jackson.annotation.JsonAlias;

/** What happens to a planned time that is skipped when daylight saving time begins. */
public enum SkippedTime {
  /** It runs once, right after the gap. */
  @JsonAlias("after-gap")
  AFTER_GAP,
  /** It does not run that day. */
  NEVER
}
