package io.millrace.manager.workflow;

import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepGraph;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.Successors;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.StepDao.StepRow;
import io.millrace.manager.workflow.StepDao.SuccessorRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty.Duty;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Checks graphs that were submitted completely and makes them run: cycles, the hash that the client
 * gave, and what follows which step. It works in short transactions and begins anew if it was
 * interrupted. Thread-safe; blocks on the database.
 */
final class GraphActivation implements Duty {
  private static final int WORKFLOWS = 10;
  private static final int ROWS = 64;
  private static final int BLOCKS = 64;
  private static final int DELETED = 500;
  private static final int PART = StepNumbers.MAX_STEPS;

  /** How long the claim is valid; renewed between transactions. */
  static final Duration CLAIM = Duration.ofSeconds(30);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final EdgeDao edges = new EdgeDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final WorkflowRevisions revisions;
  private final FailingWorkflows failing = new FailingWorkflows("check-workflows");

  GraphActivation(
      Database database, ClaimDao claims, WakeUps wakeUps, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.wakeUps = wakeUps;
  }

  @Override
  public void run(Claim claim) {
    failing.nextRun();
    Set<WorkflowState> states = Set.of(WorkflowState.CHECKING);
    long after = 0;
    List<WorkflowRow> page;
    do {
      long from = after;
      page = database.read(handle -> workflows.live(handle, states, from, WORKFLOWS));
      for (WorkflowRow row : page) {
        after = row.id();
        failing.attempt(
            row.id(),
            () -> {
              check(claim, row.id());
              return true;
            });
      }
    } while (page.size() == WORKFLOWS && renew(claim));
  }

  private void check(Claim claim, long id) {
    WorkflowRow workflow = database.read(handle -> workflows.find(handle, id)).orElse(null);
    if (workflow == null || workflow.state() != WorkflowState.CHECKING) {
      return;
    }
    WorkflowRevision revision =
        database.read(handle -> revisions.read(handle, id, workflow.revision()));
    StepGraph graph = new StepGraph(revision.plan(), workflow.listedSteps());
    Optional<String> hash = read(claim, workflow, revision, graph);
    if (hash.isEmpty()) {
      return;
    }
    String identity = database.read(handle -> workflows.identity(handle, id));
    if (identity == null) {
      // It was cancelled meanwhile.
      return;
    }
    Optional<String> problem =
        hash.get().equals(identity.substring(identity.lastIndexOf('/') + 1))
            ? graph.finish(step -> name(workflow, step))
            : Optional.of(
                "the steps that were received are not those whose hash was given: submit it again");
    if (problem.isPresent()) {
      database.transaction(handle -> refuse(handle, claim, workflow, problem.get()));
      return;
    }
    while (renew(claim)
        && database.transaction(
            handle -> claims.lock(handle, claim) && steps.deleteActivated(handle, id, DELETED))) {
      // Rows of a check that was interrupted, some at a time.
    }
    boolean held = renew(claim);
    int last = StepBlock.of(Math.max(0, workflow.steps() - 1));
    int first = workflow.listedSteps() == 0 ? last + 1 : 0;
    for (int from = first; from <= last && held; from += BLOCKS) {
      int begin = from;
      int end = Math.min(last + 1, from + BLOCKS);
      held =
          renew(claim)
              && database.transaction(handle -> write(handle, claim, id, graph, begin, end));
    }
    if (held) {
      database.transaction(handle -> start(handle, claim, workflow, revision, graph));
    }
  }

  // Only of the few steps that a message names: a graph does not keep its names.
  private String name(WorkflowRow workflow, int step) {
    return database.read(handle -> new StepReader(handle, workflow).read(step).name());
  }

  private boolean renew(Claim claim) {
    return claims
        .acquireOrRenew(claim.resource(), claim.claimant(), CLAIM)
        .filter(claim::equals)
        .isPresent();
  }

  // Empty if the claim is lost.
  private Optional<String> read(
      Claim claim, WorkflowRow workflow, WorkflowRevision revision, StepGraph graph) {
    WorkflowIdentity identity = new WorkflowIdentity(revision.spec(), workflow.runKey());
    List<PlannedTemplate> planned = revision.plan().templates();
    int next = 0;
    while (next < workflow.listedSteps()) {
      int from = next;
      if (!renew(claim)) {
        return Optional.empty();
      }
      List<StepRow> page = database.read(handle -> steps.steps(handle, workflow.id(), from, ROWS));
      for (StepRow row : page) {
        for (StoredStep step : ListedSteps.decode(row.content())) {
          graph.add(step);
          identity.add(listed(step, planned));
        }
        next = row.firstListed() + row.steps();
      }
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "workflow " + workflow.id() + " lacks listed steps from " + from + " on");
      }
    }
    return Optional.of(identity.hash());
  }

  private static ListedStep listed(StoredStep step, List<PlannedTemplate> planned) {
    return new ListedStep(
        step.name(),
        planned.get(step.template()).name(),
        step.arguments(),
        Arrays.stream(step.needs()).boxed().toList(),
        Arrays.stream(step.all()).mapToObj(one -> planned.get(one).name()).toList());
  }

  private boolean refuse(Handle handle, Claim claim, WorkflowRow workflow, String problem) {
    if (!claims.lock(handle, claim)) {
      return false;
    }
    Instant now = time.now(handle);
    if (workflows.change(handle, workflow, WorkflowState.REFUSED, problem, now)) {
      WorkflowSpec definition = revisions.read(handle, workflow.id(), workflow.revision()).spec();
      WorkflowNotices.ended(handle, workflow, definition, WorkflowState.REFUSED, problem, now);
    }
    // A corrected graph with the same hash may follow.
    workflows.forgetIdentity(handle, workflow.id());
    wakeUps.workflowChanged(handle, workflow.id());
    return true;
  }

  private boolean write(
      Handle handle, Claim claim, long workflow, StepGraph graph, int from, int to) {
    if (!claims.lock(handle, claim)) {
      return false;
    }
    Map<Integer, StepBlock> blocks = new TreeMap<>();
    List<SuccessorRow> successors = new ArrayList<>();
    for (int number = from; number < to; number++) {
      if (graph.hasListed(number)) {
        blocks.put(number, graph.block(number));
      }
      int[][] lists = graph.successors(number);
      if (lists != null) {
        successors.add(new SuccessorRow(number, 0, Successors.encode(lists)));
      }
    }
    steps.insertBlocks(handle, workflow, blocks);
    steps.insertSuccessors(handle, workflow, successors);
    return true;
  }

  private boolean start(
      Handle handle,
      Claim claim,
      WorkflowRow workflow,
      WorkflowRevision revision,
      StepGraph graph) {
    if (!claims.lock(handle, claim)) {
      return false;
    }
    long id = workflow.id();
    Instant now = time.now(handle);
    Instant endsAt = revision.spec().timeout() == null ? null : now.plus(revision.spec().timeout());
    // It may have been cancelled since it was read; what follows is only of those that run.
    if (!workflows.started(handle, id, now, endsAt)) {
      return false;
    }
    List<TemplateRow> rows = templates.of(handle, id);
    List<StepOpening> openings = new ArrayList<>();
    for (TemplateRow row : rows) {
      boolean given = revision.plan().templates().get(row.template()).given() != null;
      row.steps = given ? TemplateRow.UNKNOWN : graph.steps(row.template());
      if (row.listed()) {
        row.firstStep = graph.firstStep(row.template());
        row.lastStep = graph.lastStep(row.template());
      }
    }
    for (TemplateRow row : rows) {
      PlannedTemplate planned = revision.plan().templates().get(row.template());
      // A template without steps holds nobody up.
      row.unmetTemplates =
          (int) planned.needsAll().stream().filter(needed -> rows.get(needed).steps != 0).count();
      if (row.unmetTemplates == 0 && !row.listed()) {
        openings.add(StepOpening.of(OpeningKind.TEMPLATES_MET, row.template(), 0));
      }
      if (row.steps == 0) {
        openings.add(StepOpening.of(OpeningKind.WHOLE_TEMPLATE, row.template(), 0));
      }
    }
    if (workflow.listedSteps() > 0) {
      openings.add(StepOpening.of(OpeningKind.START, 0, 0));
    }
    insertTemplateSuccessors(handle, id, graph);
    edges.insert(handle, id, TemplateEdges.of(revision.plan(), graph));
    templates.update(handle, rows);
    releases.insertOpenings(handle, id, openings);
    wakeUps.workflowChanged(handle, id);
    return true;
  }

  private void insertTemplateSuccessors(Handle handle, long workflow, StepGraph graph) {
    List<SuccessorRow> rows = new ArrayList<>();
    graph
        .templateSuccessors()
        .forEach(
            (template, waiting) -> {
              for (int from = 0; from < waiting.length; from += PART) {
                int[] part =
                    Arrays.copyOfRange(waiting, from, Math.min(waiting.length, from + PART));
                rows.add(new SuccessorRow(-1 - template, from / PART, StepNumbers.packWhole(part)));
              }
            });
    steps.insertSuccessors(handle, workflow, rows);
  }
}
