package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What operators do with workflows: cancel, pause, limit, delete. Thread-safe; blocks on the
 * database.
 */
public final class WorkflowControl {
  private static final int DELETED = 500;

  private final Database database;
  private final DatabaseTime time;
  private final JobArrays jobArrays;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ArrayDao arrays = new ArrayDao();
  private final TemplateBreakers breakers = new TemplateBreakers();
  private final ResetDao resets = new ResetDao();
  private final WorkflowEventDao events = new WorkflowEventDao();

  WorkflowControl(Database database, JobArrays jobArrays, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.jobArrays = jobArrays;
    this.wakeUps = wakeUps;
  }

  /**
   * Cancels a workflow: steps that run are stopped, no other starts. One that has ended is not
   * changed.
   */
  public WorkflowView cancel(long id, String actor) {
    return change(
        id,
        (handle, row) -> {
          cancel(handle, row, actor, "cancelled by " + actor);
          return null;
        });
  }

  /** The same in the caller's transaction, with a reason. */
  public void cancel(Handle handle, long id, String actor, String reason) {
    cancel(handle, require(handle, id), actor, reason);
    wakeUps.workflowChanged(handle, id);
  }

  private void cancel(Handle handle, WorkflowRow row, String actor, String reason) {
    // One that is being ended to be resumed is not resumed.
    boolean resumes = resets.find(handle, row.id()).isPresent();
    if (row.state().ended() || (row.state() == WorkflowState.CANCELLING && !resumes)) {
      return;
    }
    resets.delete(handle, row.id());
    boolean started =
        row.state() == WorkflowState.RUNNING || row.state() == WorkflowState.CANCELLING;
    Instant now = time.now(handle);
    workflows.change(
        handle,
        row,
        started ? WorkflowState.CANCELLING : WorkflowState.CANCELLED,
        reason,
        started ? null : now);
    events.add(handle, row.id(), actor, "cancelled it", now);
    if (!started) {
      // Nothing of it ran: the same graph may be submitted anew.
      workflows.forgetIdentity(handle, row.id());
      WorkflowSpec definition =
          Json.read(workflows.spec(handle, row.id(), row.revision()), WorkflowSpec.class);
      WorkflowNotices.ended(handle, row, definition, WorkflowState.CANCELLED, reason, now);
    }
  }

  /**
   * Lets no further steps start, or lets them start again; steps that run continue. The outcome of
   * the latter says whether it was paused.
   */
  public WorkflowView pause(long id, boolean paused, String actor) {
    return change(
        id,
        (handle, row) -> {
          if (row.state().ended()) {
            throw WorkflowMessages.conflict(
                row, "only one that has not ended can be " + (paused ? "paused" : "resumed"));
          }
          if (row.paused() != paused) {
            events.add(
                handle, id, actor, paused ? "paused it" : "ended its pause", time.now(handle));
          }
          workflows.pause(handle, id, paused);
          reconsider(
              handle,
              releases.arraysOf(handle, id),
              paused ? WorkflowMessages.paused(id) : WorkflowMessages.TURN);
          return paused ? null : resumed(row.paused());
        });
  }

  private static SubmissionOutcome resumed(boolean wasPaused) {
    return wasPaused ? SubmissionOutcome.RESUMED : SubmissionOutcome.UNCHANGED;
  }

  /**
   * Limits how many steps run at the same time; steps that run continue. The limits of one that
   * failed or was cancelled hold when it is retried.
   *
   * @param template only those of this template; null for the whole workflow
   * @param most 0 pauses; null for any number
   */
  public WorkflowView limit(long id, String template, Integer most, String actor) {
    if (most != null && most < 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "maxRunning must be 0 or more, or null for any number");
    }
    return change(
        id,
        (handle, row) -> {
          if (row.state() == WorkflowState.SUCCEEDED || row.state() == WorkflowState.REFUSED) {
            throw WorkflowMessages.conflict(row, "no steps of it are left that could be limited");
          }
          if (template == null) {
            events.add(handle, id, actor, limited(most, ""), time.now(handle));
            workflows.limit(handle, id, most);
            reconsider(handle, releases.arraysOf(handle, id), WorkflowMessages.limited(most, null));
            return null;
          }
          TemplateRow found = require(handle, id, template);
          events.add(handle, id, actor, limited(most, " of '" + template + "'"), time.now(handle));
          templates.limit(handle, id, found.template(), most);
          if (most == null || most > 0) {
            breakers.probe(handle, row, found, time.now(handle));
          }
          reconsider(
              handle,
              releases.arraysOf(handle, id, found.template()),
              WorkflowMessages.limited(most, template));
          return null;
        });
  }

  private static String limited(Integer most, String whose) {
    return most == null
        ? "removed the limit" + (whose.isEmpty() ? " of running steps" : whose)
        : "limited running steps%s to %d".formatted(whose, most);
  }

  /**
   * Tries some steps of a template that was paused because its steps fail; one that is not stays.
   * The outcome says which.
   */
  public WorkflowView resumeTemplate(long id, String template, String actor) {
    return change(
        id,
        (handle, row) -> {
          if (row.state().ended()) {
            throw WorkflowMessages.conflict(row, "only one that has not ended can be resumed");
          }
          TemplateRow found = require(handle, id, template);
          Instant now = time.now(handle);
          boolean tries = breakers.probe(handle, row, found, now);
          if (tries) {
            events.add(handle, id, actor, "let some steps of '" + template + "' be tried", now);
          }
          List<Long> own = releases.arraysOf(handle, id, found.template());
          reconsider(handle, own, WorkflowMessages.TURN);
          return resumed(tries);
        });
  }

  private TemplateRow require(Handle handle, long id, String template) {
    return templates.of(handle, id).stream()
        .filter(one -> one.name().equals(template))
        .findFirst()
        .orElseThrow(() -> WorkflowMessages.unknownTemplate(id, template));
  }

  // Elements that wait for a slot wait for their turn again, which the limits decide about.
  private void reconsider(Handle handle, Collection<Long> own, String reason) {
    jobArrays.withdraw(handle, own, reason, time.now(handle));
    arrays.markExpandable(handle, arrays.unfinished(handle, own));
    wakeUps.ready(handle);
  }

  /**
   * Deletes a workflow that has ended, or is still being submitted, with its steps; its jobs stay
   * as long as others.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if it is in another state
   */
  public void delete(long id) {
    boolean more = true;
    while (more) {
      more = database.transaction(handle -> deleteSome(handle, id));
    }
  }

  /** Deletes some rows of a workflow; returns whether there are more. */
  boolean deleteSome(Handle handle, long id) {
    WorkflowRow row = require(handle, id);
    if (!row.state().ended() && row.state() != WorkflowState.BINDING) {
      throw WorkflowMessages.conflict(
          row, "cancel it first, with 'millrace workflow cancel " + id + "'");
    }
    // From now on nobody resumes it.
    workflows.forgetIdentity(handle, id);
    if (row.state() != WorkflowState.REFUSED) {
      // Its end stays what it was, so that a deletion that is interrupted here is finished later.
      Instant ended = row.endedAt() == null ? row.submittedAt() : row.endedAt();
      workflows.change(handle, row, WorkflowState.REFUSED, "being deleted", ended);
    }
    if (steps.delete(handle, id, DELETED)) {
      return true;
    }
    workflows.delete(handle, id);
    return false;
  }

  private WorkflowView change(long id, WorkflowChange change) {
    return database.transaction(
        handle -> {
          SubmissionOutcome outcome = change.apply(handle, require(handle, id));
          wakeUps.workflowChanged(handle, id);
          return WorkflowViews.read(handle, id).withOutcome(outcome);
        });
  }

  private WorkflowRow require(Handle handle, long id) {
    return workflows.lock(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
  }

  /** A change of a workflow, whose row is locked; its outcome is null unless it ends a pause. */
  @FunctionalInterface
  private interface WorkflowChange {
    SubmissionOutcome apply(Handle handle, WorkflowRow row);
  }
}
