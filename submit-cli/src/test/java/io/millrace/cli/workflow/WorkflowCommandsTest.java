package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkflowCommandsTest {
  private static final Instant NOW = CommandRun.NOW;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsProgressAndFailures() {
    cluster.answering(
        "GET /v1/workflows?limit=20",
        new WorkflowPage(
            List.of(workflow(18, WorkflowState.RUNNING), workflow(17, WorkflowState.FAILED)), 17L));

    assertThat(run.run("workflow", "list")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            ID  NAME     RUN KEY     STATE    SUCCEEDED  RELEASED  FAILED  OWNER  AGE    TOOK
            18  nightly  2026-03-01  running  312/1,000        20       3  ann     2h   1h00m
            17  nightly  2026-03-01  failed   312/1,000        20       3  ann     2h  30m00s
            """);
    assertThat(run.messages()).contains("more workflows: use --before 17");
  }

  @Test
  void theListIsFiltered() {
    cluster.answering("GET /v1/workflows", new WorkflowPage(List.of(), null));

    assertThat(
            run.run(
                "workflow",
                "list",
                "--state",
                "failed",
                "--name",
                "nightly",
                "--before",
                "9",
                "--limit",
                "5"))
        .isZero();

    assertThat(cluster.asked())
        .containsExactly("GET /v1/workflows?limit=5&state=failed&name=nightly&before=9");
    assertThat(run.messages()).contains("no matching workflows");
  }

  @Test
  void aWorkflowIsShownWithOneLineForEachTemplate() {
    cluster.answering("GET /v1/workflows/17", details());

    assertThat(run.run("workflow", "show", "17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            workflow 17: nightly
              state       failed
              reason      3 steps of fetch failed
              run key     2026-03-01
              owner       ann
              steps       312 of 1,000 steps succeeded, 20 released, 3 failed
              limit       50
              submitted   2026-03-01T10:00:00Z
              started     2026-03-01T11:00:00Z
              ended       2026-03-01T11:30:00Z
              took        30m00s

            Templates
              TEMPLATE  SUCCEEDED  RELEASED  FAILED  CANCELLED  LIMIT  ARRAY
              fetch       312/999        20       3          0      5     99
              merge           0/1         0       0          0      -      -
            """);
  }

  @Test
  void withJsonTheAnswersOfTheServerArePrinted() {
    cluster.answering("GET /v1/workflows/17", details());

    assertThat(run.run("workflow", "show", "17", "--json")).isZero();

    assertThat(Json.read(run.output().getBytes(StandardCharsets.UTF_8), WorkflowDetails.class))
        .isEqualTo(details());
  }

  @Test
  void waitingExitsWithZeroOnlyIfAllSucceeded() {
    cluster.answering("GET /v1/workflows/16/wait", workflow(16, WorkflowState.SUCCEEDED));
    cluster.answering("GET /v1/workflows/17/wait", workflow(17, WorkflowState.FAILED));

    assertThat(run.run("workflow", "wait", "16")).isZero();
    assertThat(run.run("workflow", "wait", "16", "17")).isEqualTo(1);

    assertThat(run.messages())
        .contains("workflow 16 (nightly) succeeded")
        .contains("workflow 17 (nightly) failed: 3 steps of fetch failed");
  }

  @Test
  void theEndOfTheTimeAndErrorsHaveExitCodesOfTheirOwn() {
    cluster.answering("GET /v1/workflows/17/wait", workflow(17, WorkflowState.RUNNING));
    cluster.refusing("GET /v1/workflows/18", ErrorCode.UNKNOWN_WORKFLOW, "no workflow 18");

    assertThat(run.run("workflow", "wait", "17", "--timeout", "0s")).isEqualTo(124);
    assertThat(run.messages()).contains("workflow 17 is still running after 0s and continues");
    assertThat(run.run("workflow", "wait", "18")).isEqualTo(121);
    assertThat(run.run("workflow", "show", "18")).isEqualTo(3);
    cluster.goDown();
    assertThat(run.run("workflow", "wait", "17")).isEqualTo(123);
  }

  @Test
  void aWorkflowIsControlled() {
    for (String verb : List.of("cancel", "pause", "resume", "retry")) {
      cluster.answering("POST /v1/workflows/17/" + verb, workflow(17, WorkflowState.RUNNING));
      assertThat(run.run("workflow", verb, "17")).isZero();
    }

    assertThat(cluster.asked())
        .containsExactly(
            "POST /v1/workflows/17/cancel",
            "POST /v1/workflows/17/pause",
            "POST /v1/workflows/17/resume",
            "POST /v1/workflows/17/retry");
    assertThat(run.output()).contains("workflow 17 paused", "workflow 17 resumed");
  }

  @Test
  void theLimitIsANumberOrNone() {
    cluster.answering("POST /v1/workflows/17/limit", workflow(17, WorkflowState.RUNNING));

    assertThat(run.run("workflow", "limit", "17", "--to", "5", "--template", "fetch")).isZero();
    assertThat(body()).isEqualTo("{\"maxRunning\":5,\"template\":\"fetch\"}");
    assertThat(run.run("workflow", "limit", "17", "--to", "none")).isZero();
    assertThat(body()).isEqualTo("{}");

    assertThat(run.output())
        .isEqualTo(
            """
            workflow 17: fetch: at most 5 at the same time
            workflow 17: no limit
            """);
  }

  @Test
  void deletionIsConfirmed() {
    cluster.answering("DELETE /v1/workflows/17", "");

    assertThat(run.run("workflow", "delete", "17")).isEqualTo(2);
    assertThat(run.messages()).contains("use --yes to confirm");
    assertThat(cluster.asked()).isEmpty();

    assertThat(run.run("workflow", "delete", "17", "--yes")).isZero();
    assertThat(run.output()).contains("workflow 17 deleted");
  }

  private String body() {
    return new String(cluster.last().body(), StandardCharsets.UTF_8);
  }

  private static WorkflowDetails details() {
    return new WorkflowDetails(
        workflow(17, WorkflowState.FAILED),
        List.of(
            new TemplateView("fetch", new StepProgress(999, 0, 664, 20, 312, 3, 0), 5, 99L),
            new TemplateView("merge", new StepProgress(1, 0, 1, 0, 0, 0, 0), null, null)));
  }

  static WorkflowView workflow(long id, WorkflowState state) {
    return new WorkflowView(
        id,
        "nightly",
        "2026-03-01",
        "ann",
        state,
        false,
        state == WorkflowState.FAILED ? "3 steps of fetch failed" : null,
        1,
        new StepProgress(1_000, 0, 665, 20, 312, 3, 0),
        50,
        NOW.minusSeconds(7_200),
        NOW.minusSeconds(3_600),
        state.ended() ? NOW.minusSeconds(1_800) : null);
  }
}
