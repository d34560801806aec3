package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A central manager whose claim another one has taken over changes nothing, whatever of a workflow
 * is to be carried out: checks, releases, resets, withdrawals, ends, pauses, notices, deletions
 * (J-15, J-17).
 */
final class LostClaimTest {
  private static final int MAX_PIECES = 50;

  private final WorkflowBench bench = new WorkflowBench(4);
  private long id;

  @AfterEach
  void close() {
    bench.close();
  }

  // Steps 0 to 9 are of a, 10 of b, which needs them all.
  private static WorkflowSpec definition(String program, boolean failFast) {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "a",
        template(
            command(program, "{i}"), Map.of("i", new ValueList(null, new ArrayRange(0, 9, 1, 0)))));
    templates.put("b", template(command("/bin/b"), Map.of(), StepNeed.all("a")));
    return new WorkflowSpec("w", null, templates, null, failFast, null, 0, null, null, null);
  }

  private void requireUnchangedByLoser() {
    Map<String, List<String>> before = contents();
    bench.driveAfterLosingClaims(id);
    WorkflowTables.requireSame(before, contents());
  }

  private Map<String, List<String>> contents() {
    return WorkflowTables.contents(bench.jobs.database);
  }

  /** Carries out all that there is; before each transaction, the loser tries it. */
  private void carryOut() {
    int pieces = 0;
    do {
      requireUnchangedByLoser();
      pieces++;
    } while (bench.piece(id, pieces % 2 == 0) && pieces < MAX_PIECES);
    bench.drive();
    requireUnchangedByLoser();
  }

  private void round(Function<StepRun, Outcome> outcomes) {
    carryOut();
    bench.round(outcomes);
    carryOut();
  }

  @Test
  void aRunWithAResumptionAndResetsGoesOnOnlyWithTheClaim() {
    id = bench.submit(definition("/bin/a", false));
    requireUnchangedByLoser();
    round(run -> run.step() == 1 ? Outcome.FAILED : null);
    // Elements that wait for a slot; what was released and runs the old definition is taken back.
    bench.binding.begin(
        "ann",
        new WorkflowSubmission(definition("/bin/other", false), "", 0, null),
        ResumeMode.HOT);
    round(run -> run.step() == 0 ? null : Outcome.SUCCEEDED);
    bench.resets.reset(id, new StepReset(List.of("0", "2"), null, true, true), "ann");
    carryOut();
    bench.round(run -> run.step() == 0 ? Outcome.STOPPED : Outcome.SUCCEEDED);
    carryOut();
    for (int i = 0; i < MAX_PIECES && !bench.views.view(id).state().ended(); i++) {
      round(run -> Outcome.SUCCEEDED);
    }
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aColdResumptionEndsAndStartsStepsOnlyWithTheClaim() {
    id = bench.submit(definition("/bin/a", false));
    round(run -> null);
    bench.resets.retry(id, ResumeMode.COLD, false, "ann");
    carryOut();
    bench.round(run -> Outcome.STOPPED);
    carryOut();
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aCancellationIsCarriedOutOnlyWithTheClaim() {
    id = bench.submit(definition("/bin/a", false));
    round(run -> null);
    bench.control.cancel(id, "ann");
    carryOut();
    bench.round(run -> Outcome.STOPPED);
    carryOut();
    assertThat(bench.run(id, run -> Outcome.STOPPED).state()).isEqualTo(WorkflowState.CANCELLED);
  }

  @Test
  void whatWaitsAfterAFirstFailureIsTakenBackOnlyWithTheClaim() {
    id = bench.submit(definition("/bin/a", true));
    bench.control.limit(id, null, 3, "ann");
    carryOut();
    bench.round(run -> run.step() == 1 ? Outcome.FAILED : null);
    carryOut();
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
  }

  /**
   * Checks the graph, and loses the claim after each of its transactions in turn; nothing is
   * changed from there on.
   */
  private int checkedWhileLosingTheClaim() {
    int transactions = 0;
    List<Map<String, List<String>>> before = new ArrayList<>();
    while (bench.checkLosingTheClaim(transactions + 1, () -> before.add(contents()))) {
      WorkflowTables.requireSame(before.get(transactions), contents());
      transactions++;
    }
    return transactions;
  }

  @Test
  void aGraphIsCheckedOnlyWithTheClaimWhicheverTransactionItIsLostAfter() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("s", listed(command("/bin/s", "{x}")));
    templates.put("t", template(command("/bin/t"), Map.of(), StepNeed.all("s")));
    // So many that they are read and written in several parts; step 0 is that of t.
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 1; i < 8_500; i++) {
      steps.add(i == 1 ? step("s", "v1") : step("s", "v" + i, i - 1));
    }
    id = bench.submit(workflow(templates), "", steps);
    requireUnchangedByLoser();
    assertThat(checkedWhileLosingTheClaim()).isGreaterThan(8);
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void aGraphIsRefusedOnlyWithTheClaim() {
    List<ListedStep> steps = List.of(step("s", "0", 1), step("s", "1", 0));
    id = bench.submit(workflow(Map.of("s", listed(command("/bin/s", "{x}")))), "", steps);
    requireUnchangedByLoser();
    assertThat(checkedWhileLosingTheClaim()).isPositive();
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.REFUSED);
  }

  @Test
  void aTemplateThatFailsIsPausedOnlyWithTheClaim() {
    Map<String, ValueList> each = Map.of("i", new ValueList(null, new ArrayRange(0, 99, 1, 0)));
    id = bench.submit(workflow(Map.of("a", template(command("/bin/a"), each))));
    for (int i = 0; i < MAX_PIECES && bench.problems().isEmpty(); i++) {
      round(run -> Outcome.FAILED);
    }
    assertThat(bench.problems()).hasSize(1);
  }

  @Test
  void aRunThatTakesTooLongIsToldOnlyWithTheClaim() {
    Notification hung =
        new Notification(
            EnumSet.of(Occasion.HUNG), null, "https://example.org", null, Duration.ofHours(1));
    Map<String, StepTemplate> templates = Map.of("a", template(command("/bin/a"), Map.of()));
    id =
        bench.submit(
            new WorkflowSpec("w", null, templates, null, false, null, 0, null, null, hung));
    round(run -> null);
    bench.jobs.database.transaction(
        handle ->
            handle.execute(
                "update workflow set started_at = ?",
                bench.jobs.database.now().minus(Duration.ofHours(2))));
    requireUnchangedByLoser();
    bench.restartWatch();
    bench.drive();
    assertThat(contents().get("subject_notice"))
        .singleElement()
        .asString()
        .contains("more than 1h");
  }

  @Test
  void anEndedWorkflowIsDeletedOnlyWithTheClaim() {
    id = bench.submit(definition("/bin/a", false));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    requireUnchangedByLoser();
    bench.deleteEnded();
    assertThat(contents().get("workflow")).isEmpty();
  }
}
