package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.platform.identity.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios of Jobmon's test_simple_workflows.py, and the time-out of test_swarm.py. */
class JobmonSimpleWorkflowsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private static final Duration SOON = Duration.ofMinutes(2);

  @TempDir Path folder;

  private final WorkflowClient workflows = CLUSTER.central(Role.OPERATOR).workflows();
  private final Map<String, StepHandle> handles = new HashMap<>();
  private final Map<String, List<String>> needs = new LinkedHashMap<>();

  private static JobSpec sleep() {
    return JobDraft.command("sleep", "{seconds}").spec();
  }

  private WorkflowView run(WorkflowGraph graph) {
    long id = workflows.submit(graph, folder.toString(), SubmissionListener.NONE).id();
    WorkflowView view = workflows.await(id, SOON);
    assertThat(view.state().ended()).as("ended: %s", view).isTrue();
    return view;
  }

  private void step(
      WorkflowGraph graph, TemplateDraft template, String name, String seconds, String... needed) {
    Map<String, String> arguments = Map.of("name", name, "seconds", seconds);
    StepHandle handle = graph.step(name, template, arguments);
    List.of(needed).forEach(one -> handle.needs(handles.get(one)));
    handles.put(name, handle);
    needs.put(name, List.of(needed));
  }

  private TemplateDraft sleeping(WorkflowGraph graph) {
    return graph.template(
        "sleep", JobDraft.command("sleep", "{seconds}").env(Map.of("N", "{name}")).spec());
  }

  @Test
  void oneTask() {
    WorkflowGraph graph = new WorkflowGraph("one-task");
    graph.template("task", JobDraft.command("true").spec());
    WorkflowView end = run(graph);
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().succeeded()).isEqualTo(1);
  }

  @Test
  void twoTasksSameCommandError() {
    WorkflowGraph graph = new WorkflowGraph("same-command");
    TemplateDraft sleep = graph.template("sleep", sleep());
    graph.step("a", sleep, Map.of("seconds", "0"));
    graph.step("b", sleep, Map.of("seconds", "0"));
    assertThatThrownBy(() -> workflows.submit(graph, null, SubmissionListener.NONE))
        .hasMessageContaining("steps[1]")
        .hasMessageContaining("have the same arguments; the first is steps[0]");
  }

  @Test
  void threeLinearTasks() {
    WorkflowGraph graph = new WorkflowGraph("three-linear-tasks");
    TemplateDraft sleep = sleeping(graph);
    step(graph, sleep, "a", "0.1");
    step(graph, sleep, "b", "0.1", "a");
    step(graph, sleep, "c", "0.1", "b");
    WorkflowView end = run(graph);
    assertThat(end.progress().succeeded()).isEqualTo(3);
    assertOrder(end);
  }

  @Test
  void forkAndJoinTasks() {
    WorkflowGraph graph = forkAndJoin("fork-and-join", JobDraft.command("sleep", "{seconds}"));
    WorkflowView end = run(graph);
    assertThat(end.progress()).isEqualTo(new StepProgress(8, 8, 0, 0, 8, 0, 0));
    assertOrder(end);
  }

  @Test
  void forkAndJoinTasksWithFatalError() {
    WorkflowGraph graph =
        forkAndJoin(
            "fork-and-join-fatal",
            JobDraft.command("sh", "-c", "test \"$1\" != b1", "task", "{name}"));
    WorkflowView end = run(graph);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.progress()).isEqualTo(new StepProgress(8, 8, 2, 0, 5, 1, 0));
    assertThat(state(end, "b1")).isEqualTo(WorkflowStepState.FAILED);
    assertThat(state(end, "c1")).isEqualTo(WorkflowStepState.WAITING);
    assertThat(state(end, "d")).isEqualTo(WorkflowStepState.WAITING);
  }

  @Test
  void forkAndJoinTasksWithRetryableError() {
    JobDraft once =
        JobDraft.command(
                "sh",
                "-c",
                "test \"$1\" != b1 || test -e \"$2\" || { touch \"$2\"; exit 1; }",
                "task",
                "{name}",
                folder.resolve("failed").toString())
            .retry(RetryPolicy.upTo(2, Duration.ofMillis(50), Duration.ofMillis(50)));
    WorkflowView end = run(forkAndJoin("fork-and-join-retryable", once));
    assertThat(end.progress()).isEqualTo(new StepProgress(8, 8, 0, 0, 8, 0, 0));
    assertThat(attempts(end, "b1")).extracting(AttemptView::exitCode).containsExactly(1, 0);
    assertThat(attempts(end, "b0")).hasSize(1);
    assertOrder(end);
  }

  /** a, then b0 to b2, then c0 to c2, then d; each c needs the b of its number. */
  private WorkflowGraph forkAndJoin(String name, JobDraft job) {
    WorkflowGraph graph = new WorkflowGraph(name);
    TemplateDraft task = graph.template("task", job.env(Map.of("N", "{name}/{seconds}")).spec());
    step(graph, task, "a", "0");
    for (int i = 0; i < 3; i++) {
      step(graph, task, "b" + i, "0", "a");
      step(graph, task, "c" + i, "0", "b" + i);
    }
    step(graph, task, "d", "0", "c0", "c1", "c2");
    return graph;
  }

  @Test
  void bushyRealDag() {
    // Those that are listed first run longest, so that their ends come in the other order.
    WorkflowGraph graph = new WorkflowGraph("bushy");
    TemplateDraft sleep = sleeping(graph);
    step(graph, sleep, "a", "0.1");
    for (int i = 0; i < 3; i++) {
      step(graph, sleep, "b" + i, "0." + (5 - 2 * i), "a");
    }
    for (int i = 0; i < 3; i++) {
      step(graph, sleep, "c" + i, "0." + (5 - 2 * i), "a", "b" + i, "b" + (i + 1) % 3);
    }
    step(graph, sleep, "d", "0", "b0", "b1", "b2", "c0", "c1", "c2");
    WorkflowView end = run(graph);
    assertThat(end.progress()).isEqualTo(new StepProgress(8, 8, 0, 0, 8, 0, 0));
    assertOrder(end);
  }

  @Test
  void blockingUpdateTimeout() {
    WorkflowGraph graph = new WorkflowGraph("blocking-update-timeout");
    graph.template("sleep", JobDraft.command("sleep", "1000").spec());
    long id = workflows.submit(graph, null, SubmissionListener.NONE).id();
    WorkflowView view = workflows.await(id, Duration.ofMillis(200));
    assertThat(view.state())
        .as("the wait ended, not the workflow")
        .isEqualTo(WorkflowState.RUNNING);
    workflows.cancel(id);
    assertThat(workflows.await(id, SOON).state()).isEqualTo(WorkflowState.CANCELLED);
  }

  private WorkflowStepState state(WorkflowView run, String step) {
    StepView view = workflows.step(run.id(), step).step();
    return view.state();
  }

  private List<AttemptView> attempts(WorkflowView run, String step) {
    return workflows.step(run.id(), step).attempts();
  }

  private void assertOrder(WorkflowView run) {
    needs.forEach(
        (step, needed) ->
            needed.forEach(
                one -> {
                  List<AttemptView> before = attempts(run, one);
                  assertThat(attempts(run, step).get(0).startedAt())
                      .as("start of %s after the end of %s", step, one)
                      .isAfterOrEqualTo(before.get(before.size() - 1).endedAt());
                }));
  }
}
