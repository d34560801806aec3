package io.millrace.manager.job;

/** How somebody is told. */
public enum NoticeKind {
  /** A web address is posted to. */
  WEBHOOK,
  /** A command runs as a job of its own. */
  COMMAND
}
