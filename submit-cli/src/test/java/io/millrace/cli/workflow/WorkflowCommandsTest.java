package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.CriticalPath.PathLink;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.api.workflow.TemplateGraph.TemplateEdge;
import io.millrace.api.workflow.TemplateGraph.TemplateNode;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplatePause;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void aPausedWorkflowIsListedWithTheStateByWhichItIsFound() {
    cluster.answering(
        "GET /v1/workflows?limit=20&state=running",
        new WorkflowPage(List.of(workflow(18, WorkflowState.RUNNING).withPaused(true)), null));

    assertThat(run.run("workflow", "list", "--state", "running")).isZero();

    assertThat(run.output()).contains("2026-03-01  running, paused  312/1,000");
  }

  @Test
  void aSubmissionThatWasInterruptedIsShownWithHowItContinues() {
    cluster.answering(
        "GET /v1/workflows/17",
        new WorkflowDetails(workflow(17, WorkflowState.BINDING), List.of(), null));

    assertThat(run.run("workflow", "show", "17")).isZero();

    assertThat(run.output())
        .contains(
            """
              state       binding
              reason      its submission has not ended; the same 'workflow submit' continues it
            """);
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
              TEMPLATE  SUCCEEDED  RUNNING  QUEUED  FAILED  CANCELLED  LIMIT  ENDS IN  ARRAY
              fetch       312/999       12       8       3          0      5        -     99
              merge           0/1        0       0       0          0      -        -      -
            """);
  }

  @Test
  void theExpectedEndIsShownOrWhyItIsUnknown() {
    TemplateView fetch =
        new TemplateView(
            "fetch",
            new StepProgress(999, 0, 664, 20, 315, 0, 0),
            5,
            99L,
            12,
            new ExpectedEnd(NOW.plusSeconds(720), null));
    ExpectedEnd unknown = new ExpectedEnd(null, "no step of 'merge' has been measured yet");
    TemplateView merge =
        new TemplateView("merge", new StepProgress(1, 0, 1, 0, 0, 0, 0), null, null, 0, unknown);
    cluster.answering(
        "GET /v1/workflows/17",
        new WorkflowDetails(workflow(17, WorkflowState.RUNNING), List.of(fetch, merge), unknown));
    cluster.answering(
        "GET /v1/workflows/18",
        new WorkflowDetails(
            workflow(18, WorkflowState.RUNNING), List.of(fetch), fetch.expectedEnd()));

    assertThat(run.run("workflow", "show", "17")).isZero();

    assertThat(run.output())
        .contains("  ends        unknown: no step of 'merge' has been measured yet\n")
        .contains(
            "  fetch       315/999       12       8       0          0      5      12m     99\n")
        .contains(
            "  merge           0/1        0       0       0          0      -  unknown      -\n");
    assertThat(run.run("workflow", "show", "18")).isZero();
    assertThat(run.output()).contains("  ends        in about 12m, 2026-03-01T12:12:00Z\n");
  }

  @Test
  void theGraphIsIndentedByLayers() {
    cluster.answering("GET /v1/workflows/17/graph", graph());

    assertThat(run.run("workflow", "graph", "17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            fetch  312/999, 12 running, 8 queued, 3 failed
              convert  0/999  needs fetch (element)
                merge  0/1  needs convert (all), fetch (5 needs)
            """);
  }

  @Test
  void theGraphIsPrintedForGraphviz() {
    cluster.answering("GET /v1/workflows/17/graph", graph());

    assertThat(run.run("workflow", "graph", "17", "--dot")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            digraph workflow_17 {
              node [shape=box];
              "fetch" [label="fetch\\n312/999, 12 running, 8 queued, 3 failed", color=red];
              "merge" [label="merge\\n0/1", color=gray];
              "convert" [label="convert\\n0/999", color=gray];
              "fetch" -> "convert" [label="(element)"];
              "convert" -> "merge" [label="(all)"];
              "fetch" -> "merge" [label="(5 needs)"];
            }
            """);
  }

  @Test
  void theCriticalPathIsShownFromFirstToLast() {
    cluster.answering(
        "GET /v1/workflows/17/critical-path",
        new CriticalPath(
            17,
            PathLevel.STEPS,
            3_723.5,
            2,
            List.of(
                new PathLink(41, null, "fetch", 3_600), new PathLink(1_000, "all", "merge", 123.5)),
            0));
    cluster.answering(
        "GET /v1/workflows/18/critical-path",
        new CriticalPath(
            18, PathLevel.TEMPLATES, 1.5, 0, List.of(new PathLink(null, null, "fetch", 1.5)), 0));

    assertThat(run.run("workflow", "show", "17", "--critical-path")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            critical path of workflow 17
              takes       1h02m
              consists of 2 steps
              unmeasured  2 steps, which count as 0s

            First to last
              STEP  NAME  TEMPLATE   TOOK
                41  -     fetch     1h00m
              1000  all   merge     2m03s
            """);
    assertThat(run.run("workflow", "show", "18", "--critical-path")).isZero();
    assertThat(run.output()).contains("  consists of 1 template\n", "fetch          1.5s");
  }

  private static TemplateGraph graph() {
    List<TemplateView> templates = details().templates();
    return new TemplateGraph(
        17,
        List.of(
            new TemplateNode(templates.get(0), 0),
            new TemplateNode(templates.get(1), 2),
            new TemplateNode(
                new TemplateView(
                    "convert", new StepProgress(999, 0, 999, 0, 0, 0, 0), null, null, 0, null),
                1)),
        List.of(
            new TemplateEdge("fetch", "convert", EdgeKind.ELEMENT, 999),
            new TemplateEdge("convert", "merge", EdgeKind.ALL, 1),
            new TemplateEdge("fetch", "merge", EdgeKind.STEPS, 5)),
        true);
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
  void whileItWaitsEachPauseIsToldOnce() {
    AtomicInteger calls = new AtomicInteger();
    cluster.when(
        "GET /v1/workflows/17/wait",
        call ->
            json(
                workflow(
                    17,
                    calls.incrementAndGet() < 4 ? WorkflowState.RUNNING : WorkflowState.FAILED)));
    cluster.when(
        "GET /v1/workflows/17",
        call -> json(paused(calls.get() == 3 ? NOW : NOW.minusSeconds(60), false)));

    assertThat(run.run("workflow", "wait", "17")).isEqualTo(1);

    assertThat(calls).hasValue(4);
    assertThat(run.messages())
        .isEqualTo(
            """
            template 'fetch' is paused: 11 of the last 11 steps failed; see 'millrace workflow errors 17'
            template 'fetch' is paused: 11 of the last 11 steps failed; see 'millrace workflow errors 17'
            workflow 17 (nightly) failed: 3 steps of fetch failed
            """);
  }

  @Test
  void theEndOfTheTimeSaysWhatIsPaused() {
    cluster.answering(
        "GET /v1/workflows/17/wait", workflow(17, WorkflowState.RUNNING).withPaused(true));
    cluster.answering("GET /v1/workflows/17", paused(NOW, false));

    assertThat(run.run("workflow", "wait", "17", "--timeout", "0s")).isEqualTo(124);

    assertThat(run.messages())
        .contains(
            "workflow 17 is paused; 'millrace workflow resume 17' ends that\n",
            "template 'fetch' is paused: 11 of the last 11 steps failed",
            "workflow 17 is still running after 0s and continues; paused: the workflow, template"
                + " 'fetch'");
  }

  @Test
  void aPauseThatIsNotKnownDoesNotEndTheWait() {
    cluster.answering("GET /v1/workflows/17/wait", workflow(17, WorkflowState.RUNNING));
    cluster.refusing("GET /v1/workflows/17", ErrorCode.UNAVAILABLE, "no leader");

    assertThat(run.run("workflow", "wait", "17", "--timeout", "0s")).isEqualTo(124);

    assertThat(run.messages())
        .contains("workflow 17 is still running after 0s and continues [TIMEOUT]");
  }

  private static WorkflowDetails paused(Instant since, boolean trying) {
    TemplateView fetch =
        new TemplateView(
            "fetch",
            new StepProgress(999, 0, 664, 20, 312, 3, 0),
            5,
            99L,
            0,
            null,
            new TemplatePause("11 of the last 11 steps failed", since, trying),
            null);
    return new WorkflowDetails(workflow(17, WorkflowState.RUNNING), List.of(fetch), null);
  }

  private static HttpAnswer json(Object body) {
    return FakeCluster.answer(200, "application/json", Json.writeBytes(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RESUMED   | false |            | workflow 17 resumed",
        "UNCHANGED | false |            | workflow 17 is not paused",
        "RESUMED   | true  | ?template=fetch | workflow 17: some steps of 'fetch' are tried",
        "UNCHANGED | true  | ?template=fetch | workflow 17: some steps of 'fetch' are tried already",
        "UNCHANGED | false | ?template=fetch | workflow 17: template 'fetch' is not paused"
      })
  void aResumptionSaysWhatItDid(
      SubmissionOutcome done, boolean trying, String query, String words) {
    cluster.answering(
        "POST /v1/workflows/17/resume" + (query == null ? "" : query),
        workflow(17, WorkflowState.RUNNING).withOutcome(done));
    cluster.answering("GET /v1/workflows/17", trying ? paused(NOW, true) : details());

    assertThat(
            query == null
                ? run.run("workflow", "resume", "17")
                : run.run("workflow", "resume", "17", "--template", "fetch"))
        .isZero();

    assertThat(run.output()).isEqualTo(words + "\n");
  }

  @Test
  void theEndOfTheTimeAndErrorsHaveExitCodesOfTheirOwn() {
    cluster.answering("GET /v1/workflows/17/wait", workflow(17, WorkflowState.RUNNING));
    cluster.answering("GET /v1/workflows/17", details());
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
  void aRunningWorkflowIsResumedHotOrCold() {
    cluster.answering("POST /v1/workflows/17/retry", workflow(17, WorkflowState.RUNNING));

    assertThat(run.run("workflow", "retry", "17", "--failed", "--hot")).isZero();
    assertThat(run.run("workflow", "retry", "17", "--cold", "--with-dependents")).isZero();
    assertThat(run.run("workflow", "retry", "17", "--hot", "--cold")).isEqualTo(2);

    assertThat(cluster.asked())
        .containsExactly(
            "POST /v1/workflows/17/retry?resume=hot",
            "POST /v1/workflows/17/retry?resume=cold&dependents=true");
  }

  @Test
  void stepsAreResetAndTheirEndsDeclared() {
    cluster.answering("POST /v1/workflows/17/reset", workflow(17, WorkflowState.RUNNING));
    cluster.answering("POST /v1/workflows/17/set-status", workflow(17, WorkflowState.FAILED));

    assertThat(run.run("workflow", "reset", "17")).isEqualTo(2);
    assertThat(run.run("workflow", "reset", "17", "fetch[3]", "9", "--with-dependents")).isZero();
    assertThat(body()).contains("\"steps\":[\"fetch[3]\",\"9\"]", "\"dependents\":true");
    assertThat(run.run("workflow", "set-status", "17", "9", "--to", "succeeded")).isZero();
    assertThat(body()).isEqualTo("{\"steps\":[\"9\"],\"to\":\"succeeded\"}");
    assertThat(run.run("workflow", "set-status", "17", "--to", "failed")).isZero();

    assertThat(run.output())
        .contains("workflow 17: the step is set to succeeded", "workflow 17 (nightly) failed");
    assertThat(run.run("workflow", "set-status", "17", "9", "fetch[3]", "--to", "failed")).isZero();
    assertThat(run.output()).contains("workflow 17: the steps are set to failed");
  }

  @Test
  void theLimitIsANumberOrNone() {
    cluster.answering("POST /v1/workflows/17/limit", details());

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
            new TemplateView(
                "fetch", new StepProgress(999, 0, 664, 20, 312, 3, 0), 5, 99L, 12, null),
            new TemplateView("merge", new StepProgress(1, 0, 1, 0, 0, 0, 0), null, null, 0, null)),
        null);
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
