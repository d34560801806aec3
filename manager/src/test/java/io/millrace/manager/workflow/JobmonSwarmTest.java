package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scenarios of Jobmon's test_swarm.py and test_swarm_task.py: progress, and growing requests. */
final class JobmonSwarmTest {
  private final WorkflowBench bench = new WorkflowBench(64);

  @AfterEach
  void close() {
    bench.close();
  }

  private static ValueList numbers(int count) {
    return new ValueList(null, new ArrayRange(1, count, 1, 0));
  }

  @Test
  void failFast() {
    WorkflowGraph graph = new WorkflowGraph("five").failFast().maxRunning(2);
    graph.template("task", command("/bin/task", "{n}")).each("n", numbers(5));
    long id = bench.submit(graph, "");

    WorkflowView end = bench.run(id, run -> run.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED);

    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.progress().succeeded()).isBetween(1, 3);
    assertThat(end.progress().failed()).isEqualTo(1);
  }

  @Test
  void propagateResult() {
    WorkflowGraph graph = new WorkflowGraph("three-and-three");
    TemplateDraft first =
        graph.template("first", command("/bin/first", "{n}")).each("n", numbers(3));
    graph.template("second", command("/bin/second", "{n}")).each("n", numbers(3)).needs(first);
    long id = bench.submit(graph, "");
    bench.drive();
    assertThat(bench.views.view(id).progress().released()).isEqualTo(3);

    // Two of three ends release nothing.
    bench.round(run -> run.step() < 2 ? Outcome.SUCCEEDED : null);
    bench.drive();
    assertThat(bench.views.view(id).progress().succeeded()).isEqualTo(2);
    assertThat(bench.views.view(id).progress().waiting()).isEqualTo(3);

    assertThat(bench.run(id).progress().succeeded()).isEqualTo(6);
    assertThat(bench.ended.subList(0, 3)).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void scalingAdjustsAtEachFailure() {
    assertThat(requests(null)).containsExactly("8MB", "12MB", "18MB");
  }

  @Test
  void scalingByOneLeavesTheRequestAsItIs() {
    assertThat(requests(ResourceScale.by(1))).as("nothing was adjusted").isEmpty();
  }

  /** The memory that was requested by a step that exceeds it twice; null for the usual scale. */
  private List<String> requests(ResourceScale scale) {
    RetryPolicy retries = RetryPolicy.upTo(3, Duration.ZERO, Duration.ZERO);
    JobSpec job =
        JobDraft.command("/bin/task")
            .memory("8MB")
            .retry(scale == null ? retries : retries.scaled(scale, List.of()))
            .spec();
    WorkflowGraph graph = new WorkflowGraph("growing");
    graph.template("task", job);
    long id = bench.submit(graph, "");
    WorkflowView end =
        bench.run(id, run -> run.attempt() < 3 ? Outcome.MEMORY_EXCEEDED : Outcome.SUCCEEDED);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    List<ResourceAdjustment> adjustments =
        bench.jobs.queries.details(bench.steps.details(id, "task").job()).adjustments();
    return Stream.ofNullable(adjustments)
        .flatMap(List::stream)
        .map(ResourceAdjustment::memory)
        .map(String::valueOf)
        .toList();
  }
}
