package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scenarios of Jobmon's test_instantiate.py: how many steps are started at the same time. */
final class JobmonLimitsTest {
  private final WorkflowBench bench = new WorkflowBench(64);

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowGraph array(int tasks) {
    WorkflowGraph graph = new WorkflowGraph("limited");
    graph
        .template("array", command("/bin/task", "{index}"))
        .each("index", new ValueList(null, new ArrayRange(1, tasks, 1, 0)));
    return graph;
  }

  @Test
  void instantiateArray() {
    long id = bench.submit(array(3), "");
    bench.round(run -> null);
    assertThat(bench.mostAtOnce).isEqualTo(3);
    assertThat(bench.views.view(id).progress().released()).isEqualTo(3);
  }

  @Test
  void concurrencyLimited() {
    WorkflowGraph graph = array(20).maxRunning(2);
    bench.submit(graph, "");
    for (int round = 0; round < 3; round++) {
      bench.round(run -> null);
    }
    assertThat(bench.mostAtOnce).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"10000, 2", "2, 10000", "2, 3", "3, 2"})
  void arrayAndWorkflowConcurrencyLimits(int ofArray, int ofWorkflow) {
    WorkflowGraph graph = array(3).maxRunning(ofWorkflow);
    graph.template("array").orElseThrow().maxRunning(ofArray);
    long id = bench.submit(graph, "");
    for (int round = 0; round < 3; round++) {
      bench.round(run -> null);
    }
    assertThat(bench.mostAtOnce).isEqualTo(2);
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void dynamicConcurrencyLimiting() {
    long id = bench.submit(array(20).maxRunning(2), "");
    bench.round(run -> null);
    bench.round(run -> null);
    assertThat(bench.mostAtOnce).isEqualTo(2);
    bench.control.limit(id, null, 5, "ann");
    bench.round(run -> null);
    bench.round(run -> null);
    assertThat(bench.mostAtOnce).isEqualTo(5);
    assertThat(bench.run(id).progress().succeeded()).isEqualTo(20);
  }

  @Test
  void submitRaises() {
    // A step that a node cannot start has failed at once, and is retried as its job says.
    long id = bench.submit(array(3), "");
    WorkflowState end =
        bench.run(id, run -> run.step() == 1 ? Outcome.START_FAILED : Outcome.SUCCEEDED).state();
    assertThat(end).isEqualTo(WorkflowState.FAILED);
    assertThat(bench.ended).containsExactlyInAnyOrder(0, 2);
  }
}
