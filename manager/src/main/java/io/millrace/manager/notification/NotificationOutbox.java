package io.millrace.manager.notification;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.notification.NotificationDao.Notice;
import io.millrace.manager.notification.NotificationDao.Notice.NoticeKind;
import io.millrace.platform.database.Dialect;
import io.millrace.platform.http.OutsideCalls;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Writes notices about jobs into an outbox, in the transaction in which the event happened. For
 * arrays there are notices only about the array as a whole. Thread-safe.
 */
public final class NotificationOutbox implements JobWatcher {
  private final NotificationDao store = new NotificationDao();
  private final JobReadDao jobs;

  public NotificationOutbox(Dialect dialect) {
    this.jobs = new JobReadDao(dialect);
  }

  /** Schedules the notices for jobs that may become late. */
  @Override
  public void notifyingSubmitted(Handle handle, Map<Long, JobSpec> submitted, Instant now) {
    List<Notice> notices = new ArrayList<>();
    submitted.forEach(
        (id, spec) -> {
          Instant from =
              spec.notBefore() != null && spec.notBefore().isAfter(now) ? spec.notBefore() : now;
          Notification notification = spec.notification();
          add(notices, id, notification, Occasion.LATE, from.plus(notification.lateAfter()));
        });
    store.write(handle, notices);
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    List<Notice> notices = new ArrayList<>();
    for (EndedJob end : ends) {
      if (end.job().notifies() && end.job().array() == null && end.state() == JobState.FAILED) {
        notification(handle, end.job().id())
            .ifPresent(
                notification -> add(notices, end.job().id(), notification, Occasion.FAILED, now));
      }
    }
    store.write(handle, notices);
  }

  private Optional<Notification> notification(Handle handle, long job) {
    return jobs.spec(handle, job).map(JobSpec::notification);
  }

  private static void add(
      List<Notice> notices, long job, Notification notification, Occasion occasion, Instant dueAt) {
    if (!notification.on().contains(occasion)) {
      return;
    }
    if (notification.webhook() != null) {
      notices.add(notice(job, occasion, NoticeKind.WEBHOOK, notification.webhook(), dueAt));
    }
    if (!notification.command().isEmpty()) {
      notices.add(
          notice(job, occasion, NoticeKind.COMMAND, Json.write(notification.command()), dueAt));
    }
  }

  private static Notice notice(
      long job, Occasion occasion, NoticeKind kind, String target, Instant dueAt) {
    return new Notice(0, job, occasion, kind, target, 0, dueAt, null);
  }

  /**
   * How notifications about jobs are delivered.
   *
   * @param privateAddresses whether webhooks on this machine and in private networks are allowed;
   *     anybody who may submit jobs could make the central manager call them
   */
  public record NotificationSettings(boolean privateAddresses) {
    /** Only public addresses. */
    public static NotificationSettings defaults() {
      return new NotificationSettings(false);
    }

    /** The webhooks that are refused before anything has happened. */
    public WebhookRule webhooks() {
      return privateAddresses ? WebhookRule.ANY : NotificationSettings::refusal;
    }

    private static Optional<String> refusal(String webhook) {
      try {
        return OutsideCalls.refusal(URI.create(webhook));
      } catch (IllegalArgumentException e) {
        // Another rule refuses it.
        return Optional.empty();
      }
    }
  }
}
