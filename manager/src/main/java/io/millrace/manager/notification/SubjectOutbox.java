package io.millrace.manager.notification;

import io.millrace.api.Json;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectNoticeDao.SubjectNotice;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Writes notices about runs, queues and problems into an outbox, in the transaction in which they
 * happen. Stateless.
 */
public final class SubjectOutbox {
  /**
   * Most notices about one occasion of one subject that wait; further ones are added to the last.
   */
  private static final int MAX_WAITING = 20;

  private SubjectOutbox() {}

  /**
   * Where a notice goes.
   *
   * @param command argv; empty for none
   * @param webhook web address; null for none
   * @param owner of the job that runs the command
   * @param runAs its user; null for the node's own
   * @param pool its pool; null for the default
   */
  public record NoticeTarget(
      List<String> command, String webhook, String owner, String runAs, String pool) {}

  /**
   * Writes a notice, unless the same occurrence was written before.
   *
   * @param occurrence number of what happened, among those of the same subject and occasion
   * @param due when it is delivered
   */
  public static void write(
      Handle handle,
      NoticeSubject about,
      NoticeText text,
      long occurrence,
      NoticeTarget target,
      Instant due) {
    if (target.webhook() != null) {
      write(handle, about, text, occurrence, NoticeKind.WEBHOOK, target.webhook(), target, due);
    }
    if (!target.command().isEmpty()) {
      String argv = Json.write(target.command());
      write(handle, about, text, occurrence, NoticeKind.COMMAND, argv, target, due);
    }
  }

  private static void write(
      Handle handle,
      NoticeSubject about,
      NoticeText text,
      long occurrence,
      NoticeKind kind,
      String address,
      NoticeTarget target,
      Instant due) {
    SubjectNotice notice =
        new SubjectNotice(
            0,
            about,
            text.name(),
            text.occasion(),
            occurrence,
            kind,
            address,
            Json.write(text),
            0,
            target.owner(),
            target.runAs(),
            target.pool(),
            0,
            due);
    if (SubjectNoticeDao.waiting(handle, notice) >= MAX_WAITING
        && !SubjectNoticeDao.known(handle, notice)) {
      SubjectNoticeDao.addToLast(handle, notice);
    } else {
      SubjectNoticeDao.write(handle, notice);
    }
  }
}
