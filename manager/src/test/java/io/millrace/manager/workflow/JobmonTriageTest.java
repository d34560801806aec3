package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.retried;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.job.JobBench;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scenarios of Jobmon's test_triaging.py: what is made of attempts that end without success. */
final class JobmonTriageTest {
  private final WorkflowBench bench = new WorkflowBench(8);

  @AfterEach
  void close() {
    bench.close();
  }

  private long submit(int retries) {
    WorkflowGraph graph = new WorkflowGraph("triaged");
    graph.template("task", retries == 0 ? command("/bin/task") : retried(retries, "/bin/task"));
    return bench.submit(graph, "");
  }

  @Test
  void triagingToResourceError() {
    long id = submit(1);
    assertThat(state(id, Outcome.MEMORY_EXCEEDED)).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(attempts(id))
        .extracting(AttemptView::outcome)
        .containsExactly(Outcome.MEMORY_EXCEEDED, Outcome.SUCCEEDED);
  }

  @Test
  void triagingToUnknownError() {
    long id = submit(1);
    assertThat(state(id, Outcome.SIGNALLED)).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(attempts(id).get(0).reason()).isNotBlank();
  }

  @Test
  void triagingToErrorFatal() {
    long id = submit(0);
    assertThat(state(id, Outcome.FAILED)).isEqualTo(WorkflowState.FAILED);
    FailureGroup group = bench.steps.failures(id).groups().get(0);
    assertThat(group.cause()).isEqualTo("exit code 1");
    assertThat(group.items()).containsExactly("0");
    assertThat(group.sample().text()).isNotBlank();
  }

  @Test
  void lostNode() {
    long id = submit(0);
    bench.drive();
    bench.jobs.place();
    AttemptId lost = running().get(0);
    UUID node = bench.jobs.nodeOf(lost);
    bench.jobs.handOut(node);
    bench.jobs.reports.take(node, List.of(JobBench.started(lost)));

    // The node comes back and knows nothing of the attempt.
    bench.jobs.register(JobBench.registration(node, node.equals(JobBench.E1) ? "e1" : "e2", 8));

    assertThat(bench.run(id).state())
        .as("the loss of a node is no failure of the step, which has no retries")
        .isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(attempts(id))
        .extracting(AttemptView::outcome)
        .containsExactly(Outcome.LOST, Outcome.SUCCEEDED);
  }

  private List<AttemptId> running() {
    List<AttemptId> first = bench.jobs.recorded(JobBench.E1);
    return first.isEmpty() ? bench.jobs.recorded(JobBench.E2) : first;
  }

  private WorkflowState state(long id, Outcome first) {
    return bench.run(id, run -> run.attempt() == 1 ? first : Outcome.SUCCEEDED).state();
  }

  private List<AttemptView> attempts(long id) {
    StepDetails step = bench.steps.details(id, "task");
    return step.attempts();
  }
}
