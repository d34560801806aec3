package io.millrace.manager.job;

import io.millrace.api.job.Notification.Occasion;
import java.time.Instant;

/**
 * Something to tell.
 *
 * @param id of the row; 0 before it is written
 * @param job what it is about
 * @param occasion what happened
 * @param kind how it is told
 * @param target the address, or JSON of argv
 * @param tries that failed so far
 * @param dueAt when it is told, or tried again
 * @param failure of the last try; null for none
 */
public record Notice(
    long id,
    long job,
    Occasion occasion,
    NoticeKind kind,
    String target,
    int tries,
    Instant dueAt,
    String failure) {

  /** How somebody is told. */
  enum NoticeKind {
    /** A web address is posted to. */
    WEBHOOK,
    /** A command runs as a job of its own. */
    COMMAND
  }
}
