package io.millrace.manager.graph;

import static io.millrace.manager.graph.GraphDefinitions.each;
import static io.millrace.manager.graph.GraphDefinitions.graph;
import static io.millrace.manager.graph.GraphDefinitions.listed;
import static io.millrace.manager.graph.GraphDefinitions.range;
import static io.millrace.manager.graph.GraphDefinitions.step;
import static io.millrace.manager.graph.GraphDefinitions.stepAfterAll;
import static io.millrace.manager.graph.GraphDefinitions.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The graph of listed steps: what it says of each, and which graphs are refused. */
final class StepGraphTest {
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  private WorkflowPlan plan() {
    return WorkflowPlan.of(workflow(templates));
  }

  private static String problem(StepGraph graph) {
    return graph.finish(step -> "").orElse(null);
  }

  private StepGraph finished(StoredStep... steps) {
    StepGraph graph = graph(plan(), steps);
    assertThat(problem(graph)).isNull();
    return graph;
  }

  /** Template 0 makes the steps 0 to 2; 1 and 2 are listed, their steps have numbers from 3 on. */
  private void threeTemplates() {
    templates.put("each", each(Map.of("i", range(0, 2))));
    templates.put("s", listed());
    templates.put("t", listed());
  }

  @Test
  void aBlockHasTheTemplateAndTheNumberOfNeedsOfEachStep() {
    threeTemplates();
    StepBlock block =
        finished(step(1, 0, 2), step(2, 1, 3), stepAfterAll(2, 0, 3), step(1)).block(0);
    for (int step = 0; step < 7; step++) {
      assertThat(block.state(step)).isEqualTo(WorkflowStepState.WAITING);
      assertThat(block.template(step)).isEqualTo(List.of(0, 0, 0, 1, 2, 2, 1).get(step));
      assertThat(block.unmet(step)).isEqualTo(List.of(0, 0, 0, 2, 2, 2, 0).get(step));
    }
  }

  @Test
  void aStepIsSucceededByAllThatNeedIt() {
    threeTemplates();
    StepGraph graph = finished(step(1, 0, 2), step(2, 1, 3), stepAfterAll(2, 0, 3), step(1));
    int[][] successors = graph.successors(0);
    int[][] expected = new int[StepBlock.SIZE][0];
    expected[0] = new int[] {3};
    expected[1] = new int[] {4};
    expected[2] = new int[] {3};
    expected[3] = new int[] {4, 5};
    assertThat(successors).isDeepEqualTo(expected);
    assertThat(graph.templateSuccessors()).containsOnlyKeys(0);
    assertThat(graph.templateSuccessors().get(0)).containsExactly(5);
  }

  @Test
  void aTemplateKnowsItsFirstAndItsLastStepAndHowManyItHas() {
    threeTemplates();
    StepGraph graph = finished(step(1), step(2), step(2), step(1));
    assertThat(List.of(graph.firstStep(1), graph.lastStep(1))).containsExactly(3, 6);
    assertThat(List.of(graph.firstStep(2), graph.lastStep(2))).containsExactly(4, 5);
    assertThat(List.of(graph.steps(0), graph.steps(1), graph.steps(2))).containsExactly(3, 2, 2);
  }

  @Test
  void stepsOfManyBlocksHaveTheirNeedsInTheBlocksOfThese() {
    templates.put("each", each(Map.of("i", range(1, 200))));
    templates.put("s", listed());
    StoredStep[] steps = new StoredStep[300];
    Arrays.setAll(steps, i -> step(1, i));
    StepGraph graph = finished(steps);
    assertThat(graph.hasListed(0)).isFalse();
    assertThat(graph.hasListed(1)).isTrue();
    for (int step = 0; step < 300; step++) {
      int[] successors = graph.successors(StepBlock.of(step))[step % StepBlock.SIZE];
      assertThat(successors).as("successors of %d", step).containsExactly(200 + step);
    }
    for (int step = 300; step < 384; step++) {
      assertThat(graph.successors(StepBlock.of(step))[step % StepBlock.SIZE]).isEmpty();
    }
    assertThat(graph.successors(StepBlock.of(384))).as("no step of the block has any").isNull();
    assertThat(graph.block(3).unmet(499)).isOne();
    assertThat(graph.block(3).unmet(500)).as("there is no such step").isZero();
  }

  @Test
  void aNeedOfAStepThatThereIsNotIsRefused() {
    threeTemplates();
    assertThat(problem(graph(plan(), step(1), step(1, 5))))
        .isEqualTo("a step needs step 5, but the steps have the numbers 0 to 4");
    assertThat(problem(graph(plan(), step(1, -1))))
        .isEqualTo("a step needs step -1, but the steps have the numbers 0 to 3");
    assertThat(problem(graph(plan(), step(1), step(1, 3)))).isNull();
  }

  @Test
  void moreNeedsThanAllowedAreRefusedWithWhatToDo() {
    threeTemplates();
    StepGraph graph = new StepGraph(plan(), 2, 3);
    graph.add(step(1, 0, 1));
    graph.add(stepAfterAll(1, 2, 0));
    assertThat(problem(graph))
        .as("needs of whole templates count")
        .startsWith("its listed steps name 4 needs, and at most 3");
    StepGraph allowed = new StepGraph(plan(), 2, 4);
    allowed.add(step(1, 0, 1));
    allowed.add(stepAfterAll(1, 2, 0));
    assertThat(problem(allowed)).isNull();
  }

  @Test
  void aListIsTakenFromATemplateWithOneStep() {
    templates.put("give", listed());
    templates.put(
        "take",
        each(Map.of("f", ValueList.of(new ListSource("give.list", 3))), StepNeed.all("give")));
    assertThat(problem(graph(plan(), step(0)))).isNull();
    for (StoredStep[] steps : List.of(new StoredStep[0], new StoredStep[] {step(0), step(0)})) {
      assertThat(problem(graph(plan(), steps)))
          .isEqualTo(
              "template 'take' takes its list from the only step of template 'give', which has "
                  + steps.length);
    }
    assertThat(graph(plan(), step(0)).steps(1)).as("known when the list is given").isZero();
  }

  @Test
  void stepsThatNeedOneAnotherAreRefused() {
    threeTemplates();
    assertThat(problem(graph(plan(), step(1, 5), step(1, 3), step(2, 4))))
        .endsWith(": step 3 needs step 5 needs step 4 needs step 3");
    assertThat(problem(graph(plan(), step(1), step(1, 4)))).endsWith(": step 4 needs step 4");
  }

  @Test
  void aStepThatNeedsAWholeTemplateThatNeedsItIsRefused() {
    threeTemplates();
    assertThat(problem(graph(plan(), stepAfterAll(1, 2), step(2, 3))))
        .endsWith(": step 3 needs template 't' needs step 4 needs step 3");
    assertThat(problem(graph(plan(), stepAfterAll(1, 1))))
        .endsWith(": step 3 needs template 's' needs step 3");
  }

  @Test
  void aStepThatNeedsOneThatWaitsForItsTemplateIsRefused() {
    templates.put("s", listed());
    templates.put("each", each(Map.of("i", range(0, 2)), StepNeed.all("s")));
    assertThat(problem(graph(plan(), step(0), step(0, 2))))
        .endsWith(": step 4 needs template 'each' needs template 's' needs step 4");
    assertThat(problem(graph(plan(), step(0), step(0)))).isNull();
  }

  @Test
  void templatesByArgumentPassACycleOn() {
    templates.put("s", listed());
    templates.put("a", each(Map.of("i", range(0, 2)), StepNeed.all("s")));
    templates.put("b", each(Map.of("i", range(0, 2)), new StepNeed("a", null, List.of("i"))));
    assertThat(problem(graph(plan(), step(0)))).isNull();
    assertThat(problem(graph(plan(), step(0, 5))))
        .endsWith(": step 6 needs template 'b' needs template 'a' needs template 's' needs step 6");
  }

  @Test
  void ofALongCycleTheBeginningIsNamed() {
    templates.put("s", listed());
    StoredStep[] steps = new StoredStep[30];
    Arrays.setAll(steps, i -> step(0, (i + 1) % 30));
    StepGraph graph = graph(plan(), steps);
    assertThat(graph.finish(step -> step == 1 ? "one" : "").orElseThrow())
        .contains(": step 0 needs step 1 (one) needs step 2 ")
        .contains(" needs step 11 needs … needs step 0 (30 steps)")
        .doesNotContain("step 12");
  }
}
