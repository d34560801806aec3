package io.millrace.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What callers may send that no client of this project sends. */
class ListedStepRuleTest {
  private final ListedStepRule rule = rule();

  // Steps 0 and 1 are made by a list, a step gives that of 3 to 6, and 7 to 9 are listed.
  private static ListedStepRule rule() {
    WorkflowGraph graph = new WorkflowGraph("w").argument("night", "1");
    graph.template("made", JobDraft.command("made", "{n}").spec()).each("n", "1", "2");
    TemplateDraft one = graph.template("one", JobDraft.command("one").spec());
    graph.template("given", JobDraft.command("given", "{n}").spec()).eachOf("n", one, "names", 4);
    TemplateDraft listed =
        graph
            .template(
                "listed",
                JobDraft.command("listed", "{x}", "{workflow.night}", "{one.count}").spec())
            .needs(one);
    for (int i = 0; i < 3; i++) {
      graph.step(null, listed, Map.of("x", "" + i));
    }
    return new ListedStepRule(graph.prepare(), graph.listedSteps());
  }

  private static ListedStep step(String template, List<Integer> needs, String... all) {
    return new ListedStep(null, template, Map.of("x", "1"), needs, List.of(all));
  }

  private void assertAllowed(ListedStep step) {
    assertThat(rule.problem(8, step)).isEmpty();
  }

  private void assertRefused(ListedStep step, String path, String text) {
    assertThat(rule.problem(8, step)).contains(new GraphProblem(path, text));
  }

  @Test
  void stepsAreOfTemplatesWithListedSteps() {
    assertAllowed(step("listed", List.of()));
    for (String other : List.of("made", "none")) {
      assertRefused(
          step(other, List.of()),
          "template",
          "there is no template '%s' with listed steps".formatted(other));
    }
  }

  @Test
  void eachPlaceholderHasAnArgumentUnlessTheWorkflowOrAStepGivesItsValue() {
    assertRefused(
        new ListedStep(null, "listed", Map.of("y", "1"), null, null),
        "arguments",
        "'{x}' of template 'listed' has no value: add it to the step's arguments");
  }

  @Test
  void neededStepsAreThereFromTheBeginning() {
    assertAllowed(step("listed", List.of(0, 1, 2, 7, 9)));
    assertRefused(step("listed", List.of(8)), "needs", "it cannot need itself");
    for (int other : List.of(-1, 10)) {
      assertRefused(
          step("listed", List.of(other)),
          "needs",
          "it needs step %d, but the steps have the numbers 0 to 9".formatted(other));
    }
    for (int given : List.of(3, 6)) {
      assertRefused(
          step("listed", List.of(given)),
          "needs",
          "it needs step %d, but the steps of 'given' are known only when its list was given; need the template as a whole"
              .formatted(given));
    }
  }

  @Test
  void neededTemplatesAreOtherOnes() {
    assertAllowed(step("listed", List.of(), "made", "given"));
    assertRefused(
        step("listed", List.of(), "made", "none"), "needs", "there is no template 'none'");
    assertRefused(
        step("listed", List.of(), "listed"),
        "needs",
        "it cannot need all steps of the template that it belongs to");
  }
}
