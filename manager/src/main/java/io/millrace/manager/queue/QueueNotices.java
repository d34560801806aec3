package io.millrace.manager.queue;

import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import java.time.Duration;
import java.time.Instant;
import org.jdbi.v3.core.Handle;

/** Notices about queues whose definition asks for them, in the caller's transaction. Stateless. */
public final class QueueNotices {
  /** How long dead letters are gathered before the first notice. */
  static final Duration FIRST_NOTICE_DELAY = Duration.ofSeconds(30);

  /** The shortest time between two notices about dead letters of a queue. */
  static final Duration PERIOD = Duration.ofMinutes(10);

  private QueueNotices() {}

  /** An operator paused it. */
  static void paused(Handle handle, QueueDefinition queue, QueueControl control, Instant now) {
    String what =
        control.sendingPaused() && control.consumingPaused()
            ? "sending and consuming"
            : control.sendingPaused() ? "sending" : "consuming";
    pause(handle, queue, what + " " + control.words(), now);
  }

  /** Its workers fail, so that only probes are started. */
  public static void broken(Handle handle, QueueDefinition queue, String reason, Instant now) {
    pause(handle, queue, "its workers fail, so only probes are started: " + reason, now);
  }

  private static void pause(Handle handle, QueueDefinition queue, String reason, Instant now) {
    if (asks(queue, Occasion.PAUSED)) {
      NoticeText text = NoticeText.ofQueue(Occasion.PAUSED.name(), queue.name(), reason, 1, now);
      SubjectOutbox.write(
          handle, NoticeSubject.QUEUE, text, now.toEpochMilli(), target(queue), now);
    }
  }

  /**
   * Events became dead letters: one notice after a moment, then at most one in each period, with
   * their number.
   */
  static void died(Handle handle, QueueDefinition queue, long more, long dead, Instant now) {
    String occasion = Occasion.DEAD.name();
    if (SubjectNoticeDao.addToFuture(
        handle, NoticeSubject.QUEUE, queue.name(), occasion, more, now)) {
      return;
    }
    Instant soon = now.plus(FIRST_NOTICE_DELAY);
    Instant due =
        SubjectNoticeDao.lastDue(handle, NoticeSubject.QUEUE, queue.name(), occasion)
            .map(last -> last.plus(PERIOD))
            .filter(next -> next.isAfter(soon))
            .orElse(soon);
    String reason =
        "the queue then had %,d dead letter%s; 'millrace queue dead list %s' shows why"
            .formatted(dead, dead == 1 ? "" : "s", queue.name());
    SubjectOutbox.write(
        handle,
        NoticeSubject.QUEUE,
        NoticeText.ofQueue(occasion, queue.name(), reason, more, now),
        now.toEpochMilli(),
        target(queue),
        due);
  }

  static boolean asks(QueueDefinition queue, Occasion occasion) {
    Notification notification = queue.notification();
    return notification != null && notification.on().contains(occasion);
  }

  private static NoticeTarget target(QueueDefinition queue) {
    Notification notification = queue.notification();
    WorkerDefinition worker = queue.worker();
    return new NoticeTarget(
        notification.command(),
        notification.webhook(),
        "queue:" + queue.name(),
        worker == null ? null : worker.runAs(),
        worker == null ? null : worker.pool());
  }
}
