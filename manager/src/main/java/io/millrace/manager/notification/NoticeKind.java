package io.millrace.manager.notification;

/** How somebody is told. */
public enum NoticeKind {
  /** A web address is posted to. */
  WEBHOOK,
  /** A command runs as a job of its own. */
  COMMAND
}
