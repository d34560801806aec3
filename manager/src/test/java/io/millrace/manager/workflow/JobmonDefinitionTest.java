package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scenarios of Jobmon's client/test_workflow.py: definition, submission, and cycles. */
final class JobmonDefinitionTest {
  private final WorkflowBench bench = new WorkflowBench(1000);
  private final WorkflowGraph graph = new WorkflowGraph("defined");
  private final TemplateDraft task = graph.template("task", command("/bin/task", "{x}"));

  @AfterEach
  void close() {
    bench.close();
  }

  private StepHandle task(String name, StepHandle... needs) {
    return graph.step(name, task, Map.of("x", name)).needs(needs);
  }

  private WorkflowView checked() {
    long id = bench.submit(graph, "");
    bench.drive();
    return bench.views.view(id);
  }

  private void assertCycle() {
    WorkflowView refused = checked();
    assertThat(refused.state()).isEqualTo(WorkflowState.REFUSED);
    assertThat(refused.reason()).contains("in a cycle");
    assertThat(refused.progress().released()).as("nothing of it runs").isZero();
  }

  @Test
  void dependencyCycleSimple() {
    StepHandle first = task("a");
    first.needs(task("c", task("b", first)));
    assertCycle();
  }

  @Test
  void dependencyCycleMidway() {
    StepHandle second = task("b", task("a"));
    StepHandle fourth = task("d", task("c", second));
    second.needs(fourth);
    task("e", fourth);
    assertCycle();
  }

  @Test
  void dependencyCycleForkJoin() {
    StepHandle fork = task("a");
    fork.needs(task("d", task("b", fork), task("c", fork)));
    assertCycle();
  }

  @Test
  void dependencyCycleSubtree() {
    StepHandle root = task("root");
    task("left-2", task("left-1", root));
    StepHandle right = task("right-1", root);
    right.needs(task("right-3", task("right-2", right)));
    assertCycle();
  }

  @Test
  void noDependencyCycle() {
    StepHandle fork = task("a");
    StepHandle left = task("b", fork);
    StepHandle right = task("c", fork, left);
    task("d", fork, left, right);
    WorkflowView view = checked();
    assertThat(view.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(bench.run(view.id()).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(0, 1, 2, 3);
  }

  private static WorkflowGraph withArguments(String... namesAndValues) {
    WorkflowGraph graph = new WorkflowGraph("arguments");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      graph.argument(namesAndValues[i], namesAndValues[i + 1]);
    }
    graph.template("only", command("/bin/task"));
    return graph;
  }

  @Test
  void workflowArgsAndHashes() {
    long first = bench.submit(withArguments("a", "1", "b", "2"), "");
    assertThat(bench.submit(withArguments("b", "2", "a", "1"), ""))
        .as("the order of arguments means nothing")
        .isEqualTo(first);
    assertThat(bench.submit(withArguments("a", "1", "b", "3"), "")).isNotEqualTo(first);
    assertThat(bench.submit(withArguments("a", "1", "b", "2"), "again")).isNotEqualTo(first);
    // Commands are not part of the identity; the steps and what they need are.
    task("one");
    task("two");
    WorkflowGraph needing = new WorkflowGraph("defined");
    TemplateDraft other = needing.template("task", command("/bin/other", "{x}"));
    StepHandle one = needing.step("one", other, Map.of("x", "one"));
    needing.step("two", other, Map.of("x", "two")).needs(one);
    assertThat(needing.identity("")).isNotEqualTo(graph.identity(""));
  }

  @Test
  void attemptResumeOnCompleteWorkflow() {
    long id = bench.submit(withArguments(), "");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThatThrownBy(() -> bench.submit(withArguments(), ""))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("another run key");
    assertThat(bench.run(bench.submit(withArguments(), "2")).state())
        .isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void emptyWorkflow() {
    assertThatThrownBy(() -> bench.submit(new WorkflowGraph("empty"), ""))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION));
  }

  @Test
  void chunkedBinding() {
    List<StepHandle> steps = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      steps.add(i < 1000 ? task("s" + i) : task("s" + i, steps.get(i - 1000)));
    }
    WorkflowView view = bench.binding.begin("ann", graph.submission("")).view();
    List<Integer> bound = new ArrayList<>();
    while (view.progress().bound() < graph.listedSteps()) {
      StepChunk chunk = graph.chunk(view.progress().bound());
      bench.binding.add(view.id(), chunk);
      // A chunk whose answer was lost is sent again.
      view = bench.binding.add(view.id(), chunk);
      bound.add(view.progress().bound());
    }
    assertThat(bound).containsExactly(1024, 2048, 2500);
    bench.binding.commit(view.id());
    assertThat(bench.run(view.id()).progress().succeeded()).isEqualTo(2500);
  }

  @Test
  void missingUpstream() {
    WorkflowGraph other = new WorkflowGraph("other");
    StepHandle foreign = other.step("x", other.template("t", command("/bin/t")), Map.of());
    assertThatThrownBy(() -> task("a", foreign)).hasMessageContaining("another workflow");
  }

  @Test
  void workflowValidation() {
    task("a");
    graph.step("b", task, Map.of("y", "1"));
    assertThat(graph.problems()).hasSize(2).isEqualTo(graph.problems());
    assertThatThrownBy(graph::prepare).hasMessageContaining("steps[1].arguments");
    assertThatThrownBy(graph::prepare).hasMessageContaining("steps[1].arguments");
  }
}
