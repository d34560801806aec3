package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.ListedStepRule;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepBlock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Graphs that cannot run, and submissions that are disturbed. */
final class BadGraphsTest {
  private static final WorkflowSpec ONE_TEMPLATE =
      workflow(Map.of("s", listed(command("/bin/s", "{x}"))));

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  private static List<ListedStep> chain(int count) {
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(i == 0 ? step("s", "v0") : step("s", "v" + i, i - 1));
    }
    return steps;
  }

  @Test
  void aCycleOfAHundredThousandStepsIsNamedWithTheBeginningOfItsPath() {
    int count = 100_000;
    List<ListedStep> steps = chain(count);
    steps.set(0, step("s", "v0", count - 1));
    long id = bench.submit(ONE_TEMPLATE, "", steps);
    bench.drive();
    WorkflowView refused = bench.views.view(id);
    assertThat(refused.state()).isEqualTo(WorkflowState.REFUSED);
    assertThat(refused.reason())
        .startsWith("steps need one another in a cycle: step 0 needs step 99999 needs step 99998")
        .endsWith("(100000 steps)")
        .hasSizeLessThan(400);
  }

  @Test
  void theStepsOfACycleAreNamedWithTheirNamesAndTheTemplatesBetweenThem() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("s", listed(command("/bin/s", "{x}"), StepNeed.all("t")));
    templates.put("t", listed(command("/bin/t", "{x}")));
    String longest = "n".repeat(200);
    long id =
        bench.submit(
            workflow(templates),
            "",
            List.of(
                new ListedStep("first", "s", Map.of("x", "1"), List.of(), null),
                new ListedStep(longest, "t", Map.of("x", "1"), List.of(2), null),
                new ListedStep(null, "t", Map.of("x", "2"), List.of(0), null)));
    bench.drive();
    assertThat(bench.views.view(id).reason())
        .isEqualTo(
            "steps need one another in a cycle: step 0 (first) needs template 't' needs step 1 ("
                + "n".repeat(39)
                + "…) needs step 2 needs step 0 (first)");
  }

  @Test
  void aLongCycleOfNamedStepsFitsIntoTheReason() {
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String name = i + "n".repeat(190);
      steps.add(new ListedStep(name, "s", Map.of("x", "" + i), List.of((i + 49) % 50), null));
    }
    long id = bench.submit(ONE_TEMPLATE, "", steps);
    bench.drive();
    assertThat(bench.views.view(id).reason())
        .startsWith("steps need one another in a cycle: step 0 (0nnn")
        .endsWith("(50 steps)")
        .hasSizeLessThan(1_000);
  }

  @Test
  void stepsThatAreMissingAreNamedAndMayBeSentAfterALostChunk() {
    List<ListedStep> steps = chain(2_500);
    WorkflowView begun = begin(steps);
    StepChunk first = new StepChunk(0, steps.subList(0, 1024));
    StepChunk second = new StepChunk(1024, steps.subList(1024, 2048));
    StepChunk third = new StepChunk(2048, steps.subList(2048, 2500));
    bench.binding.add(begun.id(), first);
    assertThatThrownBy(() -> bench.binding.add(begun.id(), third))
        .hasMessageContaining("send the steps in order, next from number 1024");
    assertThatThrownBy(() -> bench.binding.commit(begun.id()))
        .hasMessageContaining("1476 of 2500 listed steps are missing; send them from number 1024");
    bench.binding.add(begun.id(), second);
    bench.binding.add(begun.id(), second);
    bench.binding.add(begun.id(), third);
    bench.binding.commit(begun.id());
    assertThat(bench.views.view(begun.id()).progress().bound()).isEqualTo(2_500);
    bench.drive();
    assertThat(bench.views.view(begun.id()).state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void twoClientsThatBindTheSameWorkflowAtOnceMakeOne() {
    List<ListedStep> steps = chain(5_000);
    List<CompletableFuture<Long>> clients = new ArrayList<>();
    for (int client = 0; client < 2; client++) {
      clients.add(CompletableFuture.supplyAsync(() -> bind(steps)));
    }
    long id = clients.get(0).join();
    assertThat(clients.get(1).join()).isEqualTo(id);
    bench.drive();
    WorkflowView view = bench.views.view(id);
    assertThat(view.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(view.progress().bound()).isEqualTo(5_000);
  }

  @Test
  void stepsWithAnotherHashThanWasGivenAreRefusedAndMayBeSubmittedRightly() {
    List<ListedStep> meant = chain(300);
    WorkflowView begun = begin(meant);
    List<ListedStep> sent = new ArrayList<>(meant);
    sent.set(7, step("s", "other", 6));
    bench.binding.add(begun.id(), new StepChunk(0, sent));
    bench.binding.commit(begun.id());
    bench.run(begun.id());
    WorkflowView refused = bench.views.view(begun.id());
    assertThat(refused.state()).isEqualTo(WorkflowState.REFUSED);
    assertThat(refused.reason()).contains("are not those whose hash was given");
    assertThat(bench.ended).as("steps of it that ran").isEmpty();

    long right = bind(meant);
    assertThat(right).isNotEqualTo(begun.id());
    bench.drive();
    assertThat(bench.views.view(right).state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void aStoredChunkThatIsSentAgainWithOtherContentIsRefused() {
    List<ListedStep> steps = chain(40);
    WorkflowView begun = begin(steps);
    bench.binding.add(begun.id(), new StepChunk(0, steps.subList(0, 20)));
    for (ListedStep other :
        List.of(
            step("s", "other", 6),
            step("s", "v7"),
            new ListedStep("named", "s", Map.of("x", "v7"), List.of(6), null))) {
      List<ListedStep> changed = new ArrayList<>(steps.subList(0, 20));
      changed.set(7, other);
      assertThatThrownBy(() -> bench.binding.add(begun.id(), new StepChunk(0, changed)))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessageContaining("other steps are stored from number 0 on")
          .hasMessageContaining("continue from number 20");
    }
    assertThat(bind(steps)).as("what was stored first counts").isEqualTo(begun.id());
    bench.drive();
    assertThat(bench.views.view(begun.id()).state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void aStepThatBreaksARuleIsRefusedWithItsNumberAndNothingOfItsChunkIsStored() {
    List<ListedStep> steps = chain(40);
    WorkflowView begun = begin(steps);
    Map<ListedStep, String> wrong = new LinkedHashMap<>();
    wrong.put(step("t", "v7"), "there is no template 't' with listed steps");
    wrong.put(step("s", "v".repeat(65_536)), "its arguments are longer than 65536 characters");
    wrong.put(step("s", "v7", 7), "it cannot need itself");
    wrong.put(step("s", "v7", 40), "it needs step 40, but the steps have the numbers 0 to 39");
    wrong.forEach(
        (step, text) -> {
          List<ListedStep> changed = new ArrayList<>(steps);
          changed.set(7, step);
          assertThatThrownBy(() -> bench.binding.add(begun.id(), new StepChunk(0, changed)))
              .isInstanceOfSatisfying(
                  MillraceException.class,
                  e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
              .hasMessage("step 7: " + text);
        });
    assertThat(bench.views.view(begun.id()).progress().bound()).isZero();
    assertThat(ListedStepRule.MAX_NEEDS)
        .as("of them, one is left for its template's")
        .isEqualTo(StepBlock.MAX_NEEDS - 1);
  }

  @Test
  void aWorkflowThatIsCancelledWhileItsGraphIsCheckedGetsNothingOfOneThatRuns() {
    int cancelled = 0;
    WorkflowState state;
    do {
      int transactions = cancelled + 1;
      Map<String, StepTemplate> templates = new LinkedHashMap<>();
      templates.put("s", listed(command("/bin/s", "{x}")));
      templates.put("t", template(command("/bin/t"), Map.of(), StepNeed.all("s")));
      long id =
          bench.submit(
              workflow(templates), "" + transactions, List.of(step("s", "1"), step("s", "2", 1)));
      BetweenTransactions.run(
          bench.jobs.database,
          transactions,
          () -> bench.control.cancel(id, "ann"),
          () -> bench.check());
      state = bench.views.view(id).state();
      if (state == WorkflowState.CANCELLED) {
        cancelled++;
        assertThat(WorkflowTables.rowsOf(bench.jobs.database, id))
            .containsEntry("workflow_opening", 0)
            .containsEntry("workflow_edge", 0);
      }
    } while (state == WorkflowState.CANCELLED);
    assertThat(state).as("cancelled after its start").isEqualTo(WorkflowState.CANCELLING);
    assertThat(cancelled).isGreaterThan(5);
  }

  private WorkflowView begin(List<ListedStep> steps) {
    WorkflowIdentity identity = new WorkflowIdentity(ONE_TEMPLATE, "");
    steps.forEach(identity::add);
    return bench
        .binding
        .begin("ann", new WorkflowSubmission(ONE_TEMPLATE, "", steps.size(), identity.hash()))
        .view();
  }

  // As the client does: from where the server is, whoever brought it there.
  private long bind(List<ListedStep> steps) {
    WorkflowView view = begin(steps);
    while (view.state() == WorkflowState.BINDING) {
      int from = view.progress().bound();
      if (from == steps.size()) {
        view = bench.binding.commit(view.id());
      } else {
        int to = Math.min(steps.size(), from + StepChunk.MAX);
        view = bench.binding.add(view.id(), new StepChunk(from, steps.subList(from, to)));
      }
    }
    return view.id();
  }
}
