package io.millrace.manager.workflow;

import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobState;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.ResetDao.ResetKind;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Lets operators declare how steps and runs ended (J-17), and put runs away. A step that is
 * declared is first made to wait, and then ends as any other, so that what follows from it is the
 * same. Thread-safe; blocks on the database.
 */
public final class StatusOverrides {
  private static final Set<WorkflowState> RAN =
      EnumSet.of(WorkflowState.SUCCEEDED, WorkflowState.FAILED, WorkflowState.CANCELLED);

  private final Database database;
  private final DatabaseTime time;
  private final WakeUps wakeUps;
  private final WorkflowRevisions revisions;
  private final int maxTouched;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ResetDao resets = new ResetDao();
  private final WorkflowEventDao events = new WorkflowEventDao();

  /**
   * Overrides.
   *
   * @param maxTouched steps that the openings of one request look at, roughly; at least 1
   */
  StatusOverrides(Database database, WakeUps wakeUps, WorkflowRevisions revisions, int maxTouched) {
    this.maxTouched = maxTouched;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.wakeUps = wakeUps;
    this.revisions = revisions;
  }

  /**
   * Declares how steps ended, or, if none are named, how a run did.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; UNKNOWN_STEP; INVALID_REQUEST for a state that is
   *     not possible; CONFLICT if a step or the workflow has not ended
   */
  public WorkflowView set(long id, StatusChange change, String actor) {
    return database.transaction(
        handle -> {
          WorkflowRow row =
              workflows.lock(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
          if (change.steps().isEmpty()) {
            setRun(handle, row, change, actor);
          } else {
            setSteps(handle, row, change, actor);
          }
          wakeUps.workflowChanged(handle, id);
          return WorkflowViews.read(handle, id);
        });
  }

  private void setRun(Handle handle, WorkflowRow row, StatusChange change, String actor) {
    WorkflowState to = change.ofRun();
    if (!RAN.contains(row.state()) || row.startedAt() == null) {
      throw WorkflowMessages.conflict(
          row, "only the state of one that has ended can be set; cancel it first");
    }
    if (releases.hasEnds(handle, row.id())) {
      throw WorkflowMessages.conflict(row, "states of its steps are being set; try again");
    }
    Instant now = time.now(handle);
    String words = "set the state of the run to " + MessageText.of(to);
    events.add(handle, row.id(), actor, words + because(change.reason()), now);
    workflows.change(
        handle,
        row,
        to,
        "set to %s by %s%s; %d of %d steps succeeded"
            .formatted(
                MessageText.of(to), actor, because(change.reason()), row.succeeded(), row.steps()),
        row.endedAt());
  }

  private static String because(String reason) {
    return reason == null || reason.isBlank() ? "" : ": " + reason.strip();
  }

  private void setSteps(Handle handle, WorkflowRow row, StatusChange change, String actor) {
    WorkflowStepState to = change.ofSteps();
    if (row.startedAt() == null
        || !(row.state() == WorkflowState.RUNNING || RAN.contains(row.state()))) {
      throw WorkflowMessages.conflict(
          row, "steps can only be changed while it runs, or after it has run");
    }
    if (resets.find(handle, row.id()).isPresent()) {
      throw WorkflowMessages.conflict(row, "steps of it are being reset; try again later");
    }
    WorkflowRevision revision = revisions.read(handle, row.id(), row.revision());
    BitSet named =
        WorkflowResumption.named(
            handle, row, revision, templates.of(handle, row.id()), change.steps());
    ReleaseRound round = new ReleaseRound(handle, row, revision.plan(), false);
    int[] changing = named.stream().filter(step -> round.state(step) != to).toArray();
    for (int step : changing) {
      if (round.state(step) == WorkflowStepState.RELEASED) {
        throw WorkflowMessages.conflict(
            row,
            "step %d runs or waits for a slot: cancel its job first, or use 'millrace workflow reset %d %d --cold'"
                .formatted(step, row.id(), step));
      }
    }
    if (to == WorkflowStepState.SUCCEEDED) {
      requireLists(row, revision, round, changing);
    }
    declare(handle, row, round, changing, to);
    boolean failing = revision.spec().failFast() && row.failed() > 0;
    if (failing && to == WorkflowStepState.SUCCEEDED) {
      // If no failed step is left, those start that were kept from it.
      releases.insertOpenings(handle, row.id(), List.of(StepOpening.of(OpeningKind.SCAN, 0, 0)));
    }
    events.add(
        handle,
        row.id(),
        actor,
        "set %s to %s%s"
            .formatted(WorkflowMessages.steps(named), MessageText.of(to), because(change.reason())),
        named.stream().toArray(),
        time.now(handle));
  }

  // Without the list nobody knows which steps there are, and the run would not go on.
  private static void requireLists(
      WorkflowRow row, WorkflowRevision revision, ReleaseRound round, int[] steps) {
    for (int step : steps) {
      for (int number : round.templateOf(step).takers()) {
        if (round.template(number).steps == TemplateRow.UNKNOWN) {
          throw WorkflowMessages.conflict(
              row,
              "template '%s' takes its list '%s' from step %d, which has given none: run the step, with 'millrace workflow retry %d' or 'millrace workflow reset %d %d'"
                  .formatted(
                      round.template(number).name(),
                      revision.plan().templates().get(number).given().value(),
                      step,
                      row.id(),
                      row.id(),
                      step));
        }
      }
    }
  }

  private void declare(
      Handle handle, WorkflowRow row, ReleaseRound round, int[] steps, WorkflowStepState to) {
    round.reset(steps);
    round.releaseForDeclaration(steps);
    List<StepOpening> left = round.open(List.of(), maxTouched);
    round.write();
    releases.insertEnds(
        handle,
        new StepArray(ReleaseDao.DECLARED, row.id(), 0, row.epoch()),
        JobState.valueOf(to.name()),
        StepNumbers.pack(steps, steps.length));
    releases.insertOpenings(handle, row.id(), left);
    if (!left.isEmpty() && row.state() == WorkflowState.RUNNING) {
      // Nothing starts before all that need them know.
      resets.insert(
          handle,
          new ResetRow(row.id(), ResetKind.STEPS, false, row.revision(), "set-status"),
          List.of());
    }
  }

  /**
   * Lets lists not show an ended workflow any more, or show it again.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if it has not ended
   */
  public WorkflowView archive(long id, boolean archived, String actor) {
    return database.transaction(
        handle -> {
          WorkflowRow row =
              workflows.lock(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
          if (!row.state().ended()) {
            throw WorkflowMessages.conflict(row, "only one that has ended can be archived");
          }
          Instant now = time.now(handle);
          boolean before = workflows.archivedAt(handle, id).isPresent();
          if (archived && !before) {
            workflows.archive(handle, id, actor, now);
            events.add(handle, id, actor, "archived it", now);
          } else if (!archived && before) {
            workflows.unarchive(handle, id);
            events.add(handle, id, actor, "took it out of the archive", now);
          }
          return WorkflowViews.read(handle, id);
        });
  }
}
