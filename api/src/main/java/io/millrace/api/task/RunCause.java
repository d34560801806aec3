package io.millrace.api.task;

/** Why a task runs. */
public enum RunCause {
  /** Its schedule. */
  SCHEDULE,
  /** A planned time that was missed. */
  CATCH_UP,
  /** A request of a user. */
  MANUAL
}
