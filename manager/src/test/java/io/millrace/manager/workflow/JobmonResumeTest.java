package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scenarios of Jobmon's test_workflow_resume.py that need neither a reset nor a hot resume. */
final class JobmonResumeTest {
  private final WorkflowBench bench = new WorkflowBench(2);

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowGraph chain(String program) {
    WorkflowGraph graph = new WorkflowGraph("resumed");
    TemplateDraft task = graph.template("task", command(program, "{x}"));
    StepHandle last = graph.step(null, task, Map.of("x", "0"));
    for (int i = 1; i < 4; i++) {
      last = graph.step(null, task, Map.of("x", String.valueOf(i))).needs(last);
    }
    return graph;
  }

  @Test
  void failOneTaskResume() {
    long id = bench.submit(chain("/bin/broken"), "");
    WorkflowView failed =
        bench.run(id, run -> run.step() == 2 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(failed.state()).isEqualTo(WorkflowState.FAILED);
    bench.ended.clear();

    // Intended difference: nothing has to be said to resume it, and commands may have changed.
    assertThat(bench.submit(chain("/bin/repaired"), "")).isEqualTo(id);

    WorkflowView end =
        bench.run(
            id,
            run -> {
              assertThat(run.command()).startsWith("/bin/repaired");
              return Outcome.SUCCEEDED;
            });
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.revision()).isEqualTo(2);
    assertThat(bench.ended).as("what had succeeded does not run again").containsExactly(2, 3);
  }

  @Test
  void multipleFailuresResume() {
    long id = bench.submit(chain("/bin/task"), "");
    for (int failing = 0; failing < 4; failing++) {
      int step = failing;
      WorkflowState state =
          bench.run(id, run -> run.step() == step ? Outcome.FAILED : Outcome.SUCCEEDED).state();
      assertThat(state).isEqualTo(WorkflowState.FAILED);
      assertThat(bench.submit(chain("/bin/task"), "")).isEqualTo(id);
    }
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(0, 1, 2, 3);
  }

  @Test
  void submitWhileRunning() {
    // Intended difference: no error, for no client runs the workflow.
    long id = bench.submit(chain("/bin/task"), "");
    bench.round(run -> null);
    assertThat(bench.submit(chain("/bin/task"), "")).isEqualTo(id);
    assertThat(bench.views.view(id).revision()).isEqualTo(1);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(0, 1, 2, 3);
  }

  @Test
  void keyboardInterruptAndResume() {
    // Intended difference: the end of a client ends nothing; who wants that cancels.
    long id = bench.submit(chain("/bin/task"), "");
    bench.round(run -> Outcome.SUCCEEDED);
    bench.control.cancel(id, "ann");
    assertThat(bench.run(id, run -> Outcome.STOPPED).state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(bench.submit(chain("/bin/task"), "")).isEqualTo(id);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(0, 1, 2, 3);
  }

  @Test
  void clientKilledWhileBinding() {
    WorkflowGraph graph = chain("/bin/task");
    long id = bench.binding.begin("ann", graph.submission("")).view().id();
    bench.drive();
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.BINDING);
    assertThat(bench.submit(chain("/bin/task"), "")).isEqualTo(id);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }
}
