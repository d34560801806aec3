package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.OutputReference;
import io.millrace.api.workflow.Placeholders;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Takes workflows in: the definition first, then the listed steps in chunks (J-19), then the end of
 * the submission. All of it may be repeated, by the same client or by another one with the same
 * workflow: what is there already is compared and not stored again. Thread-safe; blocks on the
 * database.
 */
public final class WorkflowBinding {
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_ARGUMENTS = 64 * 1024;

  private static final String ADVICE_FOR_TASKS =
      "Ask for less under 'workflow' of the task, or add a node with as much: the next run tries"
          + " again";

  private final Database database;
  private final DatabaseTime time;
  private final WorkflowResumption resets;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final ListDao lists = new ListDao();
  private final WorkflowRevisions revisions;
  private final WebhookRule webhooks;

  WorkflowBinding(
      Database database,
      WorkflowResumption resets,
      WakeUps wakeUps,
      WorkflowRevisions revisions,
      WebhookRule webhooks) {
    this.revisions = revisions;
    this.webhooks = webhooks;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.resets = resets;
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
    WorkflowPlan plan = WorkflowRules.check(submission, webhooks);
    String identity = identity(owner, submission);
    return database.transaction(
        handle ->
            begin(
                handle,
                owner,
                submission,
                plan,
                identity,
                mode,
                WorkflowSubmission.INFEASIBLE_ADVICE));
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
      resets.requireResumption(handle, row, submission.workflow());
    }
    boolean runs = row.state() == WorkflowState.RUNNING && mode != null;
    if (runs || row.state() == WorkflowState.FAILED || row.state() == WorkflowState.CANCELLED) {
      requireFeasible(handle, submission, advice);
      resets.resume(handle, row, owner, submission.workflow(), mode);
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
    Map<String, Set<String>> names = new HashMap<>();
    List<StoredStep> all = new ArrayList<>();
    for (ListedStep step : chunk.steps()) {
      int number = chunk.first() + all.size();
      Set<String> wanted =
          names.computeIfAbsent(
              step.template(),
              name -> {
                StepTemplate template = revision.spec().templates().get(name);
                return template == null ? Set.of() : ownPlaceholders(template, revision.spec());
              });
      requireExisting(revision.plan(), number, step);
      all.add(stored(workflow, number, step, planned, wanted));
    }
    List<StepRow> rows = new ArrayList<>();
    for (int from = 0; from < all.size(); from += ListedSteps.MAX) {
      List<StoredStep> part = all.subList(from, Math.min(all.size(), from + ListedSteps.MAX));
      rows.add(new StepRow(listed + from, part.size(), ListedSteps.encode(part)));
    }
    return rows;
  }

  private static void requireExisting(WorkflowPlan plan, int number, ListedStep step) {
    for (int need : step.needs()) {
      if (need >= 0 && need < plan.fixedSteps() && plan.ofFixed(need).given() != null) {
        throw refuse(
            "step %d: it needs step %d, but the steps of '%s' are known only when its list was given; need the template as a whole"
                .formatted(number, need, plan.ofFixed(need).name()));
      }
    }
  }

  // Those that steps must have arguments for.
  private static Set<String> ownPlaceholders(StepTemplate template, WorkflowSpec workflow) {
    Set<String> names = new HashSet<>(Placeholders.names(template.job()));
    workflow.arguments().keySet().forEach(name -> names.remove("workflow." + name));
    names.removeIf(name -> OutputReference.of(name, workflow.templates().keySet()).isPresent());
    return names;
  }

  private static StoredStep stored(
      WorkflowRow workflow,
      int number,
      ListedStep step,
      Map<String, PlannedTemplate> planned,
      Set<String> wanted) {
    String place = "step " + number + ": ";
    PlannedTemplate template = planned.get(step.template());
    if (template == null || !template.listed()) {
      throw refuse(
          place
              + "there is no template '%s' with listed steps"
                  .formatted(ShownText.of(step.template())));
    }
    for (String name : wanted) {
      if (!step.arguments().containsKey(name)) {
        throw refuse(
            place
                + "'{%s}' of template '%s' has no value: add it to the step's arguments"
                    .formatted(name, template.name()));
      }
    }
    int length = 0;
    for (Map.Entry<String, String> argument : step.arguments().entrySet()) {
      length += argument.getKey().length() + argument.getValue().length();
    }
    if (length > LONGEST_ARGUMENTS) {
      throw refuse(place + "its arguments are longer than " + LONGEST_ARGUMENTS + " characters");
    }
    if (step.name() != null && step.name().length() > LONGEST_NAME) {
      throw refuse(place + "its name is longer than " + LONGEST_NAME + " characters");
    }
    if (hasControls(step.name())) {
      throw refuse(place + "its name has control characters");
    }
    if (step.arguments().entrySet().stream()
        .anyMatch(one -> hasControls(one.getKey()) || hasControls(one.getValue()))) {
      throw refuse(place + "an argument has control characters; let the step read it from a file");
    }
    if (step.needs().size() + step.all().size() > StepBlock.MAX_NEEDS - 1) {
      throw refuse(
          place
              + "it needs more than %d steps; put them under a separate template and need that as a whole"
                  .formatted(StepBlock.MAX_NEEDS - 1));
    }
    for (int need : step.needs()) {
      if (need < 0 || need >= workflow.steps() || need == number) {
        throw refuse(
            place
                + (need == number
                    ? "it cannot need itself"
                    : "it needs step %d, but the steps have the numbers 0 to %d"
                        .formatted(need, workflow.steps() - 1)));
      }
    }
    return new StoredStep(
        template.number(),
        ListedSteps.sorted(step.needs()),
        ListedSteps.sorted(
            step.all().stream().map(name -> needed(place, name, template, planned)).toList()),
        step.name() == null ? "" : step.name(),
        step.arguments());
  }

  private static boolean hasControls(String text) {
    return text != null && text.chars().anyMatch(Character::isISOControl);
  }

  private static int needed(
      String place, String name, PlannedTemplate own, Map<String, PlannedTemplate> planned) {
    PlannedTemplate template = planned.get(name);
    if (template == null || template.number() == own.number()) {
      throw refuse(
          place
              + (template == null
                  ? "there is no template '" + ShownText.of(name) + "'"
                  : "it cannot need all steps of the template that it belongs to"));
    }
    return template.number();
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
