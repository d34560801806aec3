package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.ListedStepRule;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.IdempotencyKey;
import io.millrace.manager.job.NodeOfferDao;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.StepDao.StepRow;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * Takes workflows in: the definition first, then the listed steps in chunks (J-19), then the end of
 * the submission. All of it may be repeated, by the same client or by another one with the same
 * workflow: what is there already is compared and not stored again. Thread-safe; blocks on the
 * database.
 */
public final class WorkflowBinding {
  private static final String ADVICE_FOR_TASKS =
      "Ask for less under 'workflow' of the task, or add a node with as much: the next run tries"
          + " again";

  private final Database database;
  private final DatabaseTime time;
  private final WorkflowResumption resumption;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final ListDao lists = new ListDao();
  private final WorkflowSubmissionDao submissions = new WorkflowSubmissionDao();
  private final WorkflowRevisions revisions;
  private final WebhookRule webhooks;

  WorkflowBinding(
      Database database,
      WorkflowResumption resumption,
      WakeUps wakeUps,
      WorkflowRevisions revisions,
      WebhookRule webhooks) {
    this.revisions = revisions;
    this.webhooks = webhooks;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.resumption = resumption;
    this.wakeUps = wakeUps;
  }

  /**
   * A workflow after its submission began.
   *
   * @param view as it is now, with what the submission did
   */
  public record BegunWorkflow(WorkflowView view) {
    /** Whether it did not exist before. */
    public boolean created() {
      return view.outcome() == SubmissionOutcome.CREATED;
    }

    static BegunWorkflow read(Handle handle, long id, SubmissionOutcome outcome) {
      return new BegunWorkflow(WorkflowViews.read(handle, id).withOutcome(outcome));
    }
  }

  /**
   * Begins a submission, or continues that of the same workflow. One that failed or was cancelled
   * is resumed with this definition.
   *
   * @throws MillraceException INVALID_DEFINITION with what is wrong; CONFLICT if the same workflow
   *     has succeeded, or is being cancelled; INFEASIBLE if no node could run some of its steps,
   *     unless that is allowed
   */
  public BegunWorkflow begin(String owner, WorkflowSubmission submission) {
    return begin(owner, submission, null);
  }

  /**
   * Begins a submission as {@link #begin(String, WorkflowSubmission)}; one that runs is resumed
   * with this definition.
   *
   * @param mode what happens to its steps that run; null if it is left as it is
   */
  public BegunWorkflow begin(String owner, WorkflowSubmission submission, ResumeMode mode) {
    return begin(owner, submission, mode, null);
  }

  /**
   * Begins a submission as {@link #begin(String, WorkflowSubmission, ResumeMode)}, once for each
   * key.
   *
   * @param key the same for each repetition: if the last submission that began or resumed the
   *     workflow had it too, nothing is done, and the answer says what that one did; null for none
   */
  public BegunWorkflow begin(
      String owner, WorkflowSubmission submission, ResumeMode mode, String key) {
    WorkflowPlan plan = WorkflowRules.check(submission, webhooks);
    String identity = identity(owner, submission);
    String hash = key == null ? null : IdempotencyKey.hash(key);
    return database.transaction(
        handle ->
            once(
                handle,
                identity,
                hash,
                () ->
                    begin(
                        handle,
                        owner,
                        submission,
                        plan,
                        identity,
                        mode,
                        WorkflowSubmission.INFEASIBLE_ADVICE)));
  }

  private BegunWorkflow once(
      Handle handle, String identity, String key, Supplier<BegunWorkflow> submit) {
    if (key == null) {
      return submit.get();
    }
    Optional<WorkflowRow> known =
        workflows.withIdentity(handle, identity).flatMap(id -> workflows.lock(handle, id));
    Optional<SubmissionOutcome> before =
        known.flatMap(row -> submissions.outcome(handle, row.id(), key));
    if (before.isPresent()) {
      return BegunWorkflow.read(handle, known.get().id(), before.get());
    }
    BegunWorkflow begun = submit.get();
    // One that changes nothing may be repeated, and must not displace one that may not.
    SubmissionOutcome outcome = begun.view().outcome();
    if (outcome == SubmissionOutcome.CREATED || outcome == SubmissionOutcome.RESUMED) {
      submissions.remember(handle, begun.view().id(), key, outcome);
    }
    return begun;
  }

  /**
   * The same in the caller's transaction, as {@link #begin(String, WorkflowSubmission)}, but the
   * same workflow that has succeeded is answered as it is.
   */
  public BegunWorkflow beginOrAdopt(Handle handle, String owner, WorkflowSubmission submission) {
    WorkflowPlan plan = WorkflowRules.check(submission, webhooks);
    String identity = identity(owner, submission);
    Optional<WorkflowRow> succeeded =
        workflows
            .withIdentity(handle, identity)
            .flatMap(id -> workflows.lock(handle, id))
            .filter(row -> row.state() == WorkflowState.SUCCEEDED);
    return succeeded.isPresent()
        ? BegunWorkflow.read(handle, succeeded.get().id(), SubmissionOutcome.UNCHANGED)
        : begin(handle, owner, submission, plan, identity, null, ADVICE_FOR_TASKS);
  }

  private static String identity(String owner, WorkflowSubmission submission) {
    String hash =
        submission.listedSteps() == 0
            ? WorkflowIdentity.of(submission.workflow(), submission.runKey())
            : submission.identity();
    return owner + "/" + hash;
  }

  private BegunWorkflow begin(
      Handle handle,
      String owner,
      WorkflowSubmission submission,
      WorkflowPlan plan,
      String identity,
      ResumeMode mode,
      String advice) {
    Optional<Long> known = workflows.withIdentity(handle, identity);
    if (known.isPresent()) {
      WorkflowRow row = workflows.lock(handle, known.get()).orElseThrow();
      return BegunWorkflow.read(
          handle, row.id(), again(handle, row, owner, submission, mode, advice));
    }
    requireFeasible(handle, submission, advice);
    long id = insert(handle, owner, submission, plan, identity);
    return BegunWorkflow.read(handle, id, SubmissionOutcome.CREATED);
  }

  private static void requireFeasible(Handle handle, WorkflowSubmission submission, String advice) {
    if (!submission.allowInfeasible()) {
      new StepFeasibility(new NodeOfferDao().capacity(handle))
          .require(submission.workflow(), advice);
    }
  }

  private SubmissionOutcome again(
      Handle handle,
      WorkflowRow row,
      String owner,
      WorkflowSubmission submission,
      ResumeMode mode,
      String advice) {
    if (row.state() == WorkflowState.SUCCEEDED) {
      throw WorkflowMessages.conflict(
          row, "to run the same again, give another run key (--run-key)");
    }
    if (row.state() == WorkflowState.CANCELLING) {
      resumption.requireResumption(handle, row, submission.workflow());
    }
    boolean runs = row.state() == WorkflowState.RUNNING && mode != null;
    if (runs || row.state() == WorkflowState.FAILED || row.state() == WorkflowState.CANCELLED) {
      requireFeasible(handle, submission, advice);
      resumption.resume(handle, row, owner, submission.workflow(), mode);
      return SubmissionOutcome.RESUMED;
    }
    return row.state() == WorkflowState.BINDING
        ? SubmissionOutcome.CONTINUED
        : SubmissionOutcome.UNCHANGED;
  }

  private long insert(
      Handle handle,
      String owner,
      WorkflowSubmission submission,
      WorkflowPlan plan,
      String identity) {
    WorkflowSpec definition = submission.workflow();
    Instant now = time.now(handle);
    boolean complete = submission.listedSteps() == 0;
    long id =
        workflows.insert(
            handle,
            WorkflowRow.submitted(
                owner,
                definition.name(),
                submission.runKey(),
                complete ? WorkflowState.CHECKING : WorkflowState.BINDING,
                plan.fixedSteps(),
                submission.listedSteps(),
                definition.maxRunning(),
                now),
            identity);
    workflows.insertRevision(handle, id, 1, owner, now, Json.write(definition));
    templates.insert(
        handle,
        plan.templates().stream()
            .map(
                planned ->
                    new TemplateRow(
                        id,
                        planned.number(),
                        planned.name(),
                        planned.listed(),
                        planned.needsAll().size(),
                        definition.templates().get(planned.name()).maxRunning()))
            .toList());
    lists.insert(handle, id, plan.templates().stream().filter(one -> one.given() != null).toList());
    if (complete) {
      wakeUps.workflowChanged(handle, id);
    }
    return id;
  }

  /**
   * Stores the next listed steps; a chunk that is there already is compared.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if other steps should come next or were
   *     stored with these numbers; INVALID_REQUEST for a step that breaks a rule
   */
  public WorkflowView add(long id, StepChunk chunk) {
    return database.transaction(
        handle -> {
          WorkflowRow row = require(handle, id);
          WorkflowRevision revision = revisions.read(handle, id, row.revision());
          int listed = chunk.first() - row.fixedSteps();
          int end = listed + chunk.steps().size();
          if (listed < 0 || end > row.listedSteps()) {
            throw refuse(
                "steps %d to %d: the listed steps of workflow %d have the numbers %d to %d"
                    .formatted(
                        chunk.first(),
                        chunk.first() + chunk.steps().size() - 1,
                        id,
                        row.fixedSteps(),
                        row.steps() - 1));
          }
          if (listed > row.boundSteps()) {
            throw WorkflowMessages.conflict(
                row,
                "send the steps in order, next from number "
                    + (row.fixedSteps() + row.boundSteps()));
          }
          List<StepRow> rows = rows(row, revision, chunk, listed);
          if (listed < row.boundSteps()) {
            compare(handle, row, rows);
          } else {
            steps.insertSteps(handle, id, rows);
            workflows.bound(handle, id, end);
          }
          return WorkflowViews.read(handle, id);
        });
  }

  private void compare(Handle handle, WorkflowRow workflow, List<StepRow> rows) {
    List<StepRow> stored =
        steps.steps(handle, workflow.id(), rows.get(0).firstListed(), rows.size());
    boolean same = stored.size() == rows.size();
    for (int i = 0; same && i < rows.size(); i++) {
      same = rows.get(i).sameAs(stored.get(i));
    }
    if (!same) {
      throw WorkflowMessages.conflict(
          workflow,
          "other steps are stored from number %d on, or in chunks of other sizes; continue from number %d"
              .formatted(
                  workflow.fixedSteps() + rows.get(0).firstListed(),
                  workflow.fixedSteps() + workflow.boundSteps()));
    }
  }

  private static List<StepRow> rows(
      WorkflowRow workflow, WorkflowRevision revision, StepChunk chunk, int listed) {
    Map<String, PlannedTemplate> planned = new HashMap<>();
    revision.plan().templates().forEach(one -> planned.put(one.name(), one));
    ListedStepRule rule = new ListedStepRule(revision.spec(), workflow.listedSteps());
    List<StoredStep> all = new ArrayList<>();
    for (ListedStep step : chunk.steps()) {
      int number = chunk.first() + all.size();
      rule.problem(number, step)
          .ifPresent(
              wrong -> {
                throw refuse("step " + number + ": " + wrong.text());
              });
      all.add(stored(step, planned));
    }
    List<StepRow> rows = new ArrayList<>();
    for (int from = 0; from < all.size(); from += ListedSteps.MAX) {
      List<StoredStep> part = all.subList(from, Math.min(all.size(), from + ListedSteps.MAX));
      rows.add(new StepRow(listed + from, part.size(), ListedSteps.encode(part)));
    }
    return rows;
  }

  private static StoredStep stored(ListedStep step, Map<String, PlannedTemplate> planned) {
    return new StoredStep(
        planned.get(step.template()).number(),
        ListedSteps.sorted(step.needs()),
        ListedSteps.sorted(step.all().stream().map(name -> planned.get(name).number()).toList()),
        step.name() == null ? "" : step.name(),
        step.arguments());
  }

  /**
   * Ends the submission: the graph is checked, and then it runs. A repetition changes nothing.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if steps are missing
   */
  public WorkflowView commit(long id) {
    return database.transaction(
        handle -> {
          WorkflowRow row = require(handle, id);
          if (row.state() == WorkflowState.BINDING) {
            if (row.boundSteps() < row.listedSteps()) {
              throw WorkflowMessages.conflict(
                  row,
                  "%d of %d listed steps are missing; send them from number %d on"
                      .formatted(
                          row.listedSteps() - row.boundSteps(),
                          row.listedSteps(),
                          row.fixedSteps() + row.boundSteps()));
            }
            workflows.change(handle, row, WorkflowState.CHECKING, null, null);
            wakeUps.workflowChanged(handle, id);
          }
          return WorkflowViews.read(handle, id);
        });
  }

  private WorkflowRow require(Handle handle, long id) {
    return workflows.lock(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, rule);
  }
}
