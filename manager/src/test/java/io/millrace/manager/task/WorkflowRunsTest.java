package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRow;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that run a workflow. */
class WorkflowRunsTest {
  private static final int STEPS = 2500;

  @TempDir Path folder;
  private TaskWorld world;

  @BeforeEach
  void start() {
    world = new TaskWorld(folder);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static String nightly(String more) {
    return """
        kind: task
        name: nightly
        schedule: {cron: 0 2 * * *, zone: Europe/Amsterdam, overlap: skip}
        workflow:
          arguments: {night: '{planned.date}', at: '{planned}'}
          templates:
            fetch: {job: {command: [fetch, '{workflow.night}', '{part}']}, each: {part: 1-3}}
            sum: {job: {command: [sum, '{workflow.at}']}, needs: [fetch]}
        """
        + more;
  }

  // Three chunks of listed steps.
  private static String large() {
    return """
        kind: task
        name: nightly
        schedule: {cron: 0 2 * * *}
        workflow:
          templates: {copy: {job: {command: [copy, '{x}']}}}
          steps:
        """
        + IntStream.range(0, STEPS)
            .mapToObj(i -> "    - {template: copy, arguments: {x: '" + i + "'}}\n")
            .collect(Collectors.joining());
  }

  private long launched(String yaml) {
    return launched(yaml, Instant.parse("2026-03-01T23:30:00Z"));
  }

  private long launched(String yaml, Instant planned) {
    world.apply(yaml);
    world.launching.launch();
    world.due("nightly", Duration.ofSeconds(1));
    world.launching.launch();
    long run = world.history("nightly").get(0).id();
    world.database.transaction(
        handle -> handle.execute("update task_run set planned_at = ? where id = ?", planned, run));
    return run;
  }

  private void follow(long run) {
    WorkflowRuns runs = world.workflowRuns();
    int pieces = 0;
    while (runs.piece(world.workflowRunsClaim(), run) && pieces < 100) {
      pieces++;
    }
    assertThat(pieces).isLessThan(100);
  }

  private List<WorkflowView> workflows() {
    return world
        .workflows
        .views()
        .list(EnumSet.allOf(WorkflowState.class), null, false, null, 1000)
        .workflows();
  }

  private WorkflowView workflow() {
    assertThat(workflows()).hasSize(1);
    return workflows().get(0);
  }

  private WorkflowSpec spec(long workflow) {
    return world.database.read(
        handle ->
            handle
                .createQuery(
                    "select spec from workflow_revision where workflow_id = :id order by revision desc limit 1")
                .bind("id", workflow)
                .mapTo(String.class)
                .map(text -> Json.read(text, WorkflowSpec.class))
                .one());
  }

  private void comes(long workflow, WorkflowState state) {
    world.database.transaction(
        handle ->
            handle.execute(
                "update workflow set state = ?, reason = 'as the test says', started_at ="
                    + " submitted_at, ended_at = submitted_at, succeeded = 3, failed = 1 where id"
                    + " = ?",
                state.name(),
                workflow));
  }

  @Test
  void aRunSubmitsItsWorkflowWithThePlannedTimeAsRunKey() {
    long run = launched(nightly(""));
    follow(run);

    WorkflowView submitted = workflow();
    assertThat(submitted.name()).isEqualTo("nightly");
    assertThat(submitted.runKey()).isEqualTo("2026-03-01T23:30:00Z");
    assertThat(submitted.owner()).isEqualTo("task:nightly");
    assertThat(submitted.state()).isEqualTo(WorkflowState.CHECKING);
    assertThat(spec(submitted.id()).arguments())
        .containsEntry("night", "2026-03-02")
        .containsEntry("at", "2026-03-01T23:30:00Z");
    assertThat(spec(submitted.id()).templates().get("sum").job().env())
        .containsEntry("MILLRACE_TASK", "nightly")
        .containsEntry("MILLRACE_TASK_RUN", Long.toString(run))
        .containsEntry("MILLRACE_TASK_PLANNED", "2026-03-01T23:30:00Z");
    TaskRunView shown = world.run(run);
    assertThat(shown.state()).isEqualTo(RunState.RUNNING);
    assertThat(shown.workflow().id()).isEqualTo(submitted.id());
    assertThat(shown.workflow().state()).isEqualTo(WorkflowState.CHECKING);
    assertThat(shown.total()).isEqualTo(4);
    assertThat(shown.manager()).isNull();
  }

  @Test
  void aRunEndsAsItsWorkflowAndKeepsItsProgressWhenThatIsDeleted() {
    long run = launched(nightly(""));
    follow(run);
    comes(workflow().id(), WorkflowState.FAILED);
    follow(run);

    TaskRunView ended = world.run(run);
    assertThat(ended.state()).isEqualTo(RunState.FAILED);
    assertThat(ended.reason())
        .isEqualTo("workflow " + workflow().id() + " failed: as the test says");
    assertThat(ended.endedAt()).isNotNull();

    world.workflows.control().delete(workflow().id());
    TaskRunView kept = world.run(run);
    assertThat(kept.workflow().state()).isNull();
    assertThat(kept.done()).isEqualTo(3);
    assertThat(kept.failed()).isEqualTo(1);
    assertThat(kept.total()).isEqualTo(4);
  }

  @Test
  void aCancelledWorkflowStopsItsRunAndASucceededOneSucceeds() {
    long first = launched(nightly(""));
    follow(first);
    comes(workflow().id(), WorkflowState.CANCELLED);
    follow(first);
    assertThat(world.run(first).state()).isEqualTo(RunState.STOPPED);

    world.service.run("nightly", RunParameters.NONE, "ann");
    long second = world.history("nightly").get(0).id();
    follow(second);
    comes(world.run(second).workflow().id(), WorkflowState.SUCCEEDED);
    follow(second);
    assertThat(world.run(second).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(workflows()).hasSize(2);
  }

  @Test
  void aSubmissionThatDiesAfterAnyPieceIsContinuedAndNeverDoubled() {
    for (int pieces = 0; pieces <= 6; pieces++) {
      world.close();
      world = new TaskWorld(folder.resolve("after" + pieces));
      long run = launched(large());
      WorkflowRuns dies = world.workflowRuns();
      for (int i = 0; i < pieces; i++) {
        dies.piece(world.workflowRunsClaim(), run);
      }
      follow(run);

      WorkflowView submitted = workflow();
      assertThat(submitted.state()).isEqualTo(WorkflowState.CHECKING);
      assertThat(submitted.progress().bound()).isEqualTo(STEPS);
      assertThat(world.run(run).workflow().id()).isEqualTo(submitted.id());
    }
  }

  @Test
  void twoManagersThatConductAtTheSameTimeSubmitOneWorkflow() {
    Random random = new Random(7);
    for (int round = 0; round < 5; round++) {
      world.close();
      world = new TaskWorld(folder.resolve("both" + round));
      long run = launched(large());
      List<WorkflowRuns> both = List.of(world.workflowRuns(), world.workflowRuns());
      for (int i = 0; i < 20; i++) {
        both.get(random.nextInt(2)).piece(world.workflowRunsClaim(), run);
      }
      assertThat(workflow().state()).isEqualTo(WorkflowState.CHECKING);
      assertThat(workflow().progress().bound()).isEqualTo(STEPS);
    }
  }

  @Test
  void whoHasLostTheClaimSubmitsNothing() {
    long run = launched(nightly(""));
    var lost = world.workflowRunsClaim();
    world.database.transaction(
        handle ->
            handle.execute(
                "update claim set term = term + 1 where resource = 'submit-planned-workflows'"));

    assertThat(world.workflowRuns().piece(lost, run)).isFalse();
    assertThat(workflows()).isEmpty();
  }

  @Test
  void aPlannedTimeIsSkippedWhileTheWorkflowRuns() {
    long run = launched(nightly(""));
    follow(run);
    world.due("nightly", Duration.ofSeconds(1));
    world.launching.launch();

    assertThat(world.history("nightly").get(0).state()).isEqualTo(RunState.SKIPPED);
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);
    assertThat(workflows()).hasSize(1);
  }

  @Test
  void aRunThatIsReplacedCancelsItsWorkflowAndTheNextWaitsForItsEnd() {
    long run = launched(nightly("").replace("overlap: skip", "overlap: replace"));
    follow(run);
    long first = workflow().id();
    world.database.transaction(
        handle -> handle.execute("update workflow set state = 'RUNNING' where id = ?", first));
    world.due("nightly", Duration.ofSeconds(1));
    world.launching.launch();

    assertThat(workflow().state()).isEqualTo(WorkflowState.CANCELLING);
    world.reaper.scan();
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);

    comes(first, WorkflowState.CANCELLED);
    world.reaper.scan();
    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    TaskRunView next = world.history("nightly").get(0);
    assertThat(next.state()).isEqualTo(RunState.RUNNING);
    follow(next.id());
    assertThat(workflows()).hasSize(2);
  }

  @Test
  void aRunThatIsStoppedCancelsItsWorkflowAndEndsWithIt() {
    long run = launched(nightly(""));
    follow(run);
    long workflow = workflow().id();
    world.database.transaction(
        handle -> handle.execute("update workflow set state = 'RUNNING' where id = ?", workflow));
    world.service.stop(run, "ann");
    assertThat(workflow().state()).isEqualTo(WorkflowState.CANCELLING);
    assertThat(workflow().reason()).contains("ann");
    world.reaper.scan();
    assertThat(world.run(run).state()).as("while steps may run").isEqualTo(RunState.RUNNING);

    comes(workflow, WorkflowState.CANCELLED);
    follow(run);
    world.reaper.scan();
    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.run(run).reason()).contains("ann");
  }

  @Test
  void runsThatAreCaughtUpSubmitTheirOwnPlannedTimes() {
    world.apply(
        nightly("")
            .replace(
                "cron: 0 2 * * *, zone: Europe/Amsterdam, overlap: skip",
                "every: 10m, catchUp: all, overlap: queue"));
    world.launching.launch();
    world.due("nightly", Duration.ofMinutes(35));
    world.launching.launch();
    List<TaskRunView> planned = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Optional<TaskRunView> next =
          world.history("nightly").stream()
              .filter(run -> run.state() == RunState.RUNNING)
              .findFirst();
      if (next.isEmpty()) {
        break;
      }
      planned.add(next.get());
      follow(next.get().id());
      comes(world.run(next.get().id()).workflow().id(), WorkflowState.SUCCEEDED);
      follow(next.get().id());
    }
    assertThat(planned).hasSizeBetween(3, 5);
    assertThat(planned).extracting(TaskRunView::cause).contains(RunCause.CATCH_UP);
    assertThat(workflows())
        .extracting(WorkflowView::runKey)
        .containsExactlyInAnyOrderElementsOf(
            planned.stream().map(run -> run.plannedAt().toString()).toList())
        .doesNotHaveDuplicates();
  }

  @Test
  void aRunThatIsRefusedInTheMiddleOfItsSubmissionLeavesNoWorkflowThatWaitsForMore() {
    long run = launched(large());
    world.workflowRuns().piece(world.workflowRunsClaim(), run);
    // As if somebody else had begun the same with fewer steps.
    world.database.transaction(handle -> handle.execute("update workflow set listed_steps = 2000"));
    follow(run);

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason())
        .startsWith("its workflow is refused: ")
        .contains("steps 1024 to 2047: the listed steps of workflow");
    assertThat(workflow().state()).isEqualTo(WorkflowState.CANCELLED);
  }

  @Test
  void aRunThatIsStoppedBeforeItsSubmissionSubmitsNothing() {
    long run = launched(nightly(""));
    world.service.stop(run, "ann");
    follow(run);
    world.reaper.scan();

    assertThat(workflows()).isEmpty();
    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
  }

  @Test
  void aRunThatExceedsItsTimeoutFailsWithItsWorkflow() {
    long run = launched(nightly("timeout: 1h\n"));
    follow(run);
    world.startedBefore(run, Duration.ofHours(2));
    world.reaper.scan();

    assertThat(workflow().state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("timed out");
  }

  @Test
  void theFailedWorkOfARunIsThatOfItsWorkflow() {
    long run = launched(nightly(""));
    follow(run);
    long workflow = workflow().id();
    comes(workflow, WorkflowState.FAILED);
    follow(run);
    world.service.retry(run);
    follow(run);

    assertThat(workflow().id()).isEqualTo(workflow);
    assertThat(workflow().state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);
    assertThat(world.run(run).workflow().id()).isEqualTo(workflow);
  }

  @Test
  void aRunOfADeletedWorkflowFailsAndCanBeSubmittedAnew() {
    long run = launched(nightly(""));
    follow(run);
    long deleted = workflow().id();
    comes(deleted, WorkflowState.SUCCEEDED);
    world.workflows.control().delete(deleted);
    follow(run);
    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).isEqualTo("workflow " + deleted + " was deleted");

    world.service.retry(run);
    follow(run);
    assertThat(workflow().id()).isNotEqualTo(deleted);
    assertThat(world.run(run).workflow().id()).isEqualTo(workflow().id());
  }

  @Test
  void theSameDefinitionIsUnchangedAndAnEarlierOneCanBeRolledBackTo() {
    String first = nightly("").replace("each: {part: 1-3}", "each: {part: 1-3}, breaker: off");
    world.apply(first);
    assertThat(applied(first)).isEqualTo(ApplyAction.UNCHANGED);
    assertThat(applied(nightly(""))).isEqualTo(ApplyAction.CHANGED);

    assertThat(
            world
                .definitions
                .rollBack("task", "nightly", new RollbackRequest(1, false, null), "ann")
                .version())
        .isEqualTo(3);
    assertThat(applied(first)).isEqualTo(ApplyAction.UNCHANGED);
  }

  @Test
  void templatesAndListsKeepTheirOrderForStepsAreNumberedByIt() {
    world.apply(
        """
        kind: task
        name: nightly
        workflow:
          templates:
            zip: {job: {command: [zip, '{z}', '{a}']}, each: {z: 1-2, a: 1-3}}
            add: {job: {command: [add]}, needs: [zip]}
        """);
    long run = world.service.run("nightly", RunParameters.NONE, "ann").id();
    follow(run);

    WorkflowSpec submitted = spec(workflow().id());
    assertThat(submitted.templates().keySet()).containsExactly("zip", "add");
    assertThat(submitted.templates().get("zip").each().keySet()).containsExactly("z", "a");
  }

  private ApplyAction applied(String yaml) {
    return world
        .definitions
        .apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false), "ann")
        .changes()
        .get(0)
        .action();
  }

  private void hasNode(int slots) {
    Instant now = world.database.now();
    NodeRow node =
        NodeRow.heard(
                UUID.fromString("00000000-0000-0000-0000-000000000001"),
                "e1",
                NodeKind.EXECUTION,
                URI.create("http://127.0.0.1:1"),
                null,
                new RequestNumber(1, 1),
                now,
                Duration.ofHours(1))
            .running(NodeCapacity.ofSlots(slots), List.of("default"), Map.of(), "test");
    world.database.transaction(
        handle -> {
          new NodeDao().insert(handle, node);
          return null;
        });
  }

  @Test
  void aRunWhoseStepsNoNodeCouldRunFailsWithThat() throws Exception {
    hasNode(2);
    long run = launched(nightly("").replace("[sum, '{workflow.at}']", "[sum], slots: 3"));
    world.workflowRuns().run(world.workflowRunsClaim());

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason())
        .startsWith("its workflow is refused: templates.sum.job: asks for slots 3")
        .contains("e1")
        .contains("; Ask for less under 'workflow' of the task")
        .doesNotContain("--allow-infeasible", "\n");
    assertThat(workflows()).isEmpty();
  }

  @Test
  void aRunThatIsRetriedSucceedsWithAWorkflowThatHasSucceededMeanwhile() throws Exception {
    long run = launched(nightly(""));
    follow(run);
    long workflow = workflow().id();
    comes(workflow, WorkflowState.FAILED);
    follow(run);
    world.service.retry(run);
    comes(workflow, WorkflowState.SUCCEEDED);
    world.workflowRuns().run(world.workflowRunsClaim());
    world.workflowRuns().run(world.workflowRunsClaim());

    assertThat(world.run(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).workflow().id()).isEqualTo(workflow);
    assertThat(workflows()).hasSize(1);
  }

  @Test
  void aRunWhoseWorkflowCannotBeResumedFailsWithTheReason() throws Exception {
    long run = launched(nightly(""));
    follow(run);
    comes(workflow().id(), WorkflowState.CANCELLED);
    follow(run);
    world.database.transaction(handle -> handle.execute("update workflow set started_at = null"));
    world.service.retry(run);
    world.workflowRuns().run(world.workflowRunsClaim());

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason())
        .startsWith("its workflow is refused: ")
        .contains("never started");
  }

  @Test
  void runsBeyondTheFirstOnesHaveTheirTurnAndThenTheFirstOnesAgain() throws Exception {
    List<Long> runs = new ArrayList<>();
    for (String name : List.of("one", "two", "three", "four", "five")) {
      world.apply(nightly("").replace("name: nightly", "name: " + name));
      runs.add(world.service.run(name, RunParameters.NONE, "ann").id());
    }
    WorkflowRuns duty = world.workflowRuns(2);
    for (int round = 0; round < 3; round++) {
      duty.run(world.workflowRunsClaim());
    }
    assertThat(runs).allSatisfy(run -> assertThat(world.run(run).workflow()).isNotNull());

    comes(world.run(runs.get(0)).workflow().id(), WorkflowState.SUCCEEDED);
    for (int round = 0; round < 3; round++) {
      duty.run(world.workflowRunsClaim());
    }
    assertThat(world.run(runs.get(0)).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aDeletedTaskLeavesItsWorkflows() {
    long run = launched(nightly(""));
    follow(run);
    comes(workflow().id(), WorkflowState.SUCCEEDED);
    follow(run);
    world.deletions.delete("task", "nightly", new DeletionRequest(null, false, null), "ann");

    assertThat(workflow().state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(world.run(run).workflow().id()).isEqualTo(workflow().id());
  }

  @Test
  void aRunKeepsItsVersionWhenTheTaskChanges() {
    long run = launched(nightly(""));
    world.apply(nightly("").replace("[sum, ", "[add, "));
    world.launching.launch();
    follow(run);

    assertThat(spec(workflow().id()).templates().get("sum").job().command().get(0))
        .isEqualTo("sum");
    assertThat(world.run(run).version()).isEqualTo(1);
  }

  @Test
  void variablesOfAManualRunReachEveryStepAsTheyAreWritten() {
    world.apply(nightly(""));
    world.launching.launch();
    assertThatThrownBy(
            () -> world.service.run("nightly", new RunParameters(null, List.of("--full")), "ann"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("take no further arguments");
    TaskRunView run =
        world.service.run("nightly", new RunParameters(Map.of("MODE", "{full}"), null), "ann");
    follow(run.id());

    assertThat(spec(workflow().id()).templates().get("fetch").job().env())
        .containsEntry("MODE", "{{full}}");
    assertThat(workflow().runKey()).isEqualTo(run.plannedAt().toString());
  }
}
