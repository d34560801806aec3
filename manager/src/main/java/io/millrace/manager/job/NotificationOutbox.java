package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Notification;
import io.millrace.api.job.Notification.Occasion;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.NoticeDao.Notice;
import io.millrace.manager.job.NoticeDao.Notice.NoticeKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Writes what is to be told of jobs into the outbox, in the transaction in which it happened. Of
 * arrays, only the whole is told. Thread-safe.
 */
public final class NotificationOutbox implements JobWatcher {
  private final NoticeDao store = new NoticeDao();
  private final JobReadDao jobs = new JobReadDao();

  /** Jobs that want somebody told were recorded: they may become late. */
  @Override
  public void notifyingSubmitted(Handle handle, Map<Long, JobSpec> submitted, Instant now) {
    List<Notice> notices = new ArrayList<>();
    submitted.forEach(
        (id, spec) -> {
          Instant from =
              spec.notBefore() != null && spec.notBefore().isAfter(now) ? spec.notBefore() : now;
          Notification wish = spec.notification();
          add(notices, id, wish, Occasion.LATE, from.plus(wish.lateAfter()));
        });
    store.write(handle, notices);
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    List<Notice> notices = new ArrayList<>();
    for (EndedJob end : ends) {
      if (end.job().notifies() && end.job().array() == null && end.state() == JobState.FAILED) {
        wish(handle, end.job().id())
            .ifPresent(wish -> add(notices, end.job().id(), wish, Occasion.FAILED, now));
      }
    }
    store.write(handle, notices);
  }

  private Optional<Notification> wish(Handle handle, long job) {
    return jobs.spec(handle, job).map(JobSpec::notification);
  }

  private static void add(
      List<Notice> notices, long job, Notification wish, Occasion occasion, Instant dueAt) {
    if (!wish.on().contains(occasion)) {
      return;
    }
    if (wish.webhook() != null) {
      notices.add(notice(job, occasion, NoticeKind.WEBHOOK, wish.webhook(), dueAt));
    }
    if (!wish.command().isEmpty()) {
      notices.add(notice(job, occasion, NoticeKind.COMMAND, Json.write(wish.command()), dueAt));
    }
  }

  private static Notice notice(
      long job, Occasion occasion, NoticeKind kind, String target, Instant dueAt) {
    return new Notice(0, job, occasion, kind, target, 0, dueAt, null);
  }

  /**
   * How jobs' notifications are delivered.
   *
   * @param privateAddresses whether web addresses on this machine and in private networks may be
   *     posted to; anybody who may submit jobs could make the central manager call them
   */
  public record NotificationSettings(boolean privateAddresses) {
    /** Public addresses only. */
    public static NotificationSettings defaults() {
      return new NotificationSettings(false);
    }
  }
}
