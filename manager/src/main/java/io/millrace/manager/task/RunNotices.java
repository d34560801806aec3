package io.millrace.manager.task;

import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.manager.schedule.DueDecision;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Notices about runs of tasks whose definition asks for them, in the caller's transaction. */
final class RunNotices {
  private RunNotices() {}

  /** A run ended in that state. */
  static void ended(
      Handle handle, TaskDefinition task, RunRow run, RunState state, String reason, Instant now) {
    if (state == RunState.FAILED && asks(task, Occasion.FAILED)) {
      Instant since = run.startedAt() == null ? now : run.startedAt();
      // A run that is retried may fail again.
      write(handle, task, Occasion.FAILED, run.id(), reason, 1, since, now.toEpochMilli(), now);
    } else if (state == RunState.MISSED && asks(task, Occasion.MISSED)) {
      Instant planned = run.plannedAt();
      long occurrence = planned.toEpochMilli();
      write(handle, task, Occasion.MISSED, run.id(), reason, 1, planned, occurrence, now);
    }
  }

  /** Planned times passed without a run: one notice about all of them. */
  static void missed(Handle handle, TaskDefinition task, DueDecision decision, Instant now) {
    if (!asks(task, Occasion.MISSED)) {
      return;
    }
    List<PassedTime> missed =
        decision.passed().stream().filter(time -> time.state() == RunState.MISSED).toList();
    long earlier = decision.earlier() == null ? 0 : decision.earlier().count();
    long count = earlier + missed.size();
    if (count == 0) {
      return;
    }
    Instant first =
        decision.earlier() == null ? missed.get(0).plannedAt() : decision.earlier().first();
    PassedTime last = missed.isEmpty() ? null : missed.get(missed.size() - 1);
    String reason = last == null ? decision.earlier().reason() : last.reason();
    Instant until = last == null ? decision.earlier().last() : last.plannedAt();
    write(handle, task, Occasion.MISSED, null, reason, count, first, until.toEpochMilli(), now);
  }

  /** A planned time has waited for too long; the run is null while there is none. */
  static void late(
      Handle handle, TaskDefinition task, Long run, Instant planned, String reason, Instant now) {
    long occurrence = planned.toEpochMilli();
    write(handle, task, Occasion.LATE, run, reason, 1, planned, occurrence, now);
  }

  /** A run takes too long. */
  static void hung(Handle handle, TaskDefinition task, RunRow run, String reason, Instant now) {
    write(handle, task, Occasion.HUNG, run.id(), reason, 1, run.startedAt(), run.id(), now);
  }

  static boolean asks(TaskDefinition task, Occasion occasion) {
    Notification notification = task.notification();
    return notification != null && notification.on().contains(occasion);
  }

  private static void write(
      Handle handle,
      TaskDefinition task,
      Occasion occasion,
      Long run,
      String reason,
      long count,
      Instant since,
      long occurrence,
      Instant now) {
    Notification notification = task.notification();
    JobSpec job = TaskSpecs.usual(task);
    NoticeTarget target =
        new NoticeTarget(
            notification.command(),
            notification.webhook(),
            TaskSpecs.owner(task.name()),
            job.runAs(),
            job.pool());
    NoticeText text = NoticeText.ofTask(occasion.name(), task.name(), run, reason, count, since);
    SubjectOutbox.write(handle, NoticeSubject.TASK, text, occurrence, target, now);
  }
}
