package io.millrace.manager.workflow;

import io.millrace.api.MessageText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.NoticeText.NotedWorkflow;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectOutbox;
import io.millrace.manager.notification.SubjectOutbox.NoticeTarget;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Notices about workflows whose definition asks for them, in the caller's transaction: one for each
 * end, of which there is one in each epoch. Stateless.
 */
final class WorkflowNotices {
  private static final int SHOWN_STEPS = 5;
  private static final int EPOCHS = 1 << 20;

  private WorkflowNotices() {}

  /** A workflow ended in that state. */
  static void ended(
      Handle handle,
      WorkflowRow workflow,
      WorkflowSpec definition,
      WorkflowState state,
      String reason,
      Instant now) {
    Occasion occasion =
        switch (state) {
          case SUCCEEDED -> Occasion.SUCCEEDED;
          case CANCELLED -> Occasion.CANCELLED;
          default -> Occasion.FAILED;
        };
    if (asks(definition, occasion)) {
      Instant since = workflow.startedAt() == null ? workflow.submittedAt() : workflow.startedAt();
      write(handle, workflow, definition, occasion, state, reason, since, ending(workflow), now);
    }
  }

  /** It takes too long, counted from that time. */
  static void hung(
      Handle handle,
      WorkflowRow workflow,
      WorkflowSpec definition,
      String reason,
      Instant since,
      Instant now) {
    write(
        handle,
        workflow,
        definition,
        Occasion.HUNG,
        workflow.state(),
        reason,
        since,
        ending(workflow),
        now);
  }

  /** A template was paused because its steps fail. */
  static void paused(
      Handle handle, WorkflowRow workflow, WorkflowSpec definition, String reason, Instant now) {
    if (asks(definition, Occasion.PAUSED)) {
      write(
          handle,
          workflow,
          definition,
          Occasion.PAUSED,
          workflow.state(),
          reason,
          now,
          now.toEpochMilli(),
          now);
    }
  }

  static boolean asks(WorkflowSpec definition, Occasion occasion) {
    Notification notification = definition.notification();
    return notification != null && notification.on().contains(occasion);
  }

  private static long ending(WorkflowRow workflow) {
    return workflow.id() * EPOCHS + workflow.epoch();
  }

  private static void write(
      Handle handle,
      WorkflowRow workflow,
      WorkflowSpec definition,
      Occasion occasion,
      WorkflowState state,
      String reason,
      Instant since,
      long occurrence,
      Instant now) {
    Notification notification = definition.notification();
    // A command runs where the steps do, and as whom.
    JobSpec job = definition.templates().values().iterator().next().job();
    NoticeTarget target =
        new NoticeTarget(
            notification.command(),
            notification.webhook(),
            workflow.owner(),
            job.runAs(),
            job.pool());
    List<String> failed =
        workflow.failed() == 0
            ? List.of()
            : new StepFailureDao()
                .first(handle, workflow.id(), SHOWN_STEPS).stream()
                    .map(step -> "step %d of %s".formatted(step.step(), step.template()))
                    .toList();
    NotedWorkflow noted =
        new NotedWorkflow(
            workflow.id(),
            workflow.runKey(),
            MessageText.of(state),
            workflow.steps(),
            workflow.succeeded(),
            workflow.failed(),
            workflow.cancelled(),
            failed);
    NoticeText text = NoticeText.ofWorkflow(occasion.name(), workflow.name(), noted, reason, since);
    SubjectOutbox.write(handle, NoticeSubject.WORKFLOW, text, occurrence, target, now);
  }
}
