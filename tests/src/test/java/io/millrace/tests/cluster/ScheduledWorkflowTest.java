package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.TaskClient;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that run a workflow, with its notifications, on a whole cluster. */
class ScheduledWorkflowTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void eachPlannedTimeRunsTheWorkflowOnce() throws IOException {
    Path journal = CLUSTER.folder("scheduled").resolve("journal");
    define(
        """
        kind: task
        name: minutely
        schedule: {every: 2s, overlap: queue}
        workflow:
          arguments: {at: '{planned}'}
          templates:
            part:
              job: {command: [sh, -c, 'echo "$1 $2 $MILLRACE_TASK_PLANNED" >> %1$s', part, '{workflow.at}', '{n}']}
              each: {n: 1-2}
            last:
              job: {command: [sh, -c, 'echo "$1 last $MILLRACE_TASK_PLANNED" >> %1$s', last, '{workflow.at}']}
              needs: [part]
        """
            .formatted(journal));
    TaskClient tasks = CLUSTER.central(Role.OPERATOR).tasks();
    await("three runs have succeeded")
        .atMost(SOON)
        .until(() -> succeeded(tasks.runs("minutely", null, 100)).size() >= 3);
    define("{kind: task, name: minutely, job: {command: [true]}}");
    await("nothing of it runs")
        .atMost(SOON)
        .until(
            () -> tasks.runs("minutely", null, 100).stream().allMatch(run -> run.state().ended()));

    List<String> lines = Files.readAllLines(journal);
    for (TaskRunView run : succeeded(tasks.runs("minutely", null, 100))) {
      assertThat(run.workflow().state()).isEqualTo(WorkflowState.SUCCEEDED);
      assertThat(run.done()).isEqualTo(3);
      WorkflowView workflow = workflows().show(run.workflow().id()).workflow();
      assertThat(workflow.runKey()).isEqualTo(run.plannedAt().toString());
      assertThat(lines.stream().filter(line -> line.startsWith(run.plannedAt() + " ")))
          .hasSize(3)
          .allMatch(line -> line.endsWith(" " + run.plannedAt()))
          .last()
          .asString()
          .contains(" last ");
    }
  }

  private static void define(String yaml) {
    CLUSTER
        .central(Role.ADMIN)
        .apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
  }

  private static List<TaskRunView> succeeded(List<TaskRunView> runs) {
    return runs.stream()
        .filter(run -> run.state() == RunState.SUCCEEDED && run.cause() != RunCause.MANUAL)
        .toList();
  }

  private static WorkflowClient workflows() {
    return CLUSTER.central(Role.OPERATOR).workflows();
  }

  @Test
  void aRunFailsWithItsWorkflowWhichNotifiesAndIsResumedByTheTask() throws IOException {
    Path folder = CLUSTER.folder("failing");
    Path told = folder.resolve("told");
    Path repaired = folder.resolve("repaired");
    define(
        """
        kind: task
        name: failing
        workflow:
          templates:
            fine: {job: {command: [sh, -c, 'echo once >> %1$s/fine']}}
            bad: {job: {command: [test, -e, %2$s]}, needs: [fine]}
          notify:
            on: [failed, succeeded]
            command: [sh, -c, 'echo "$MILLRACE_NOTIFY_OCCASION $MILLRACE_NOTIFY_NAME $MILLRACE_NOTIFY_WORKFLOW $MILLRACE_NOTIFY_STATE $MILLRACE_NOTIFY_FAILED_STEPS" >> %3$s']
        """
            .formatted(folder, repaired, told));
    TaskClient tasks = CLUSTER.central(Role.OPERATOR).tasks();
    long run = tasks.run("failing").id();
    TaskRunView failed = ended(tasks, run);

    assertThat(failed.state()).isEqualTo(RunState.FAILED);
    long workflow = failed.workflow().id();
    assertThat(failed.reason())
        .isEqualTo("workflow " + workflow + " failed: 1 of 2 steps succeeded, 1 failed");
    Files.createFile(repaired);
    tasks.retry(run);
    TaskRunView resumed = ended(tasks, run);

    assertThat(resumed.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(resumed.workflow().id()).isEqualTo(workflow);
    assertThat(Files.readAllLines(folder.resolve("fine"))).hasSize(1);
    await("both ends are told")
        .atMost(SOON)
        .until(() -> Files.exists(told) && Files.readAllLines(told).size() >= 2);
    assertThat(Files.readAllLines(told))
        .containsExactlyInAnyOrder(
            "FAILED failing " + workflow + " failed step 1 of bad",
            "SUCCEEDED failing " + workflow + " succeeded ");
  }

  private static TaskRunView ended(TaskClient tasks, long run) {
    await("the run has ended").atMost(SOON).until(() -> tasks.details(run).run().state().ended());
    return tasks.details(run).run();
  }
}
