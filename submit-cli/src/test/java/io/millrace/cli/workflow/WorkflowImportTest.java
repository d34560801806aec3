package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code millrace workflow import}. */
class WorkflowImportTest {
  private static final String TIMES =
      """
      {"name": "pair", "schemaVersion": "1.5", "workflow": {
        "specification": {"tasks": [
          {"id": "one", "name": "fit_1", "parents": [], "children": ["two"]},
          {"id": "two", "name": "fit_2", "parents": ["one"], "children": []}]},
        "execution": {"tasks": [
          {"id": "one", "runtimeInSeconds": 10, "command": {"program": "fit"}},
          {"id": "two", "runtimeInSeconds": 30, "command": {"program": "fit"}}]}}}
      """;

  @TempDir private Path folder;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);
  private WorkflowSubmission received;
  private StepChunk chunk;
  private WorkflowState state = WorkflowState.BINDING;
  private int bound;

  @BeforeEach
  void files() throws IOException {
    Files.writeString(
        folder.resolve("work.sub"),
        """
        executable = /opt/work
        arguments = "'$(in)' {x} {{y}}"
        environment = "MODE='two words' NAME=$(JOB)"
        queue
        """);
    Files.writeString(
        folder.resolve("graph.dag"),
        """
        JOB A work.sub
        JOB "ü work.sub
        JOB work work.sub
        VARS A in="a: b # c"
        VARS "ü in="- 'x' \\"y\\" \\\\ ODD {in}"
        VARS work in=""
        RETRY work 2 UNLESS-EXIT 3
        SCRIPT POST A post $RETURN
        PARENT A CHILD "ü work
        DOT graph.dot
        """
            .replace("ODD", "\t \u2028 \ud83d\ude00 \u0085"));
    Files.writeString(folder.resolve("pair.json"), TIMES);
  }

  @Test
  void whatIsPrintedIsTheWorkflowThatWouldBeSubmitted() throws IOException {
    assertThat(imported("--from", "dagman", "graph.dag")).as(run.messages()).isZero();

    assertThat(run.messages()).contains("graph.dag: line 10: DOT is not used");
    CommandRun checked = new CommandRun(cluster).reading(run.output());
    assertThat(checked.run("workflow", "submit", "-f", "-", "--dry-run", "--json"))
        .as(checked.messages() + run.output())
        .isZero();
    assertThat(cluster.asked()).isEmpty();
    serve(List.of());
    CommandRun sent = new CommandRun(cluster);
    assertThat(sent.run("workflow", "import", "--from", "dagman", path("graph.dag"), "--submit"))
        .as(sent.messages())
        .isZero();
    JsonNode summary = Json.mapper().readTree(checked.output());
    assertThat(received.identity()).isEqualTo(summary.get("identity").asText());
    assertThat(sent.output()).isEqualTo("17\n");
  }

  @Test
  void optionsOfASubmissionAreThoseOfSubmit() throws IOException {
    serve(List.of());

    assertThat(
            imported(
                "--from", "dagman", "graph.dag", "--submit", "--allow-infeasible", "--resume=hot"))
        .as(run.messages())
        .isZero();

    assertThat(received.allowInfeasible()).isTrue();
    assertThat(cluster.asked().get(0)).isEqualTo("POST /v1/workflows?resume=hot");
    for (String option : List.of("--allow-infeasible", "--resume=hot", "--run-key=k", "--wait")) {
      CommandRun refused = new CommandRun(cluster);
      assertThat(refused.run("workflow", "import", "--from", "dagman", path("graph.dag"), option))
          .isNotZero();
      assertThat(refused.messages()).contains(option.replaceAll("=.*", "") + ": requires --submit");
    }
  }

  @Test
  void textsArriveUnchanged() throws IOException {
    assertThat(imported("--from", "dagman", "graph.dag")).isZero();
    serve(List.of());
    CommandRun sent = new CommandRun(cluster).reading(run.output());
    assertThat(sent.run("workflow", "submit", "-f", "-")).as(sent.messages()).isZero();

    ListedStep step =
        chunk.steps().stream().filter(one -> one.name().equals("\"ü")).findFirst().orElseThrow();
    assertThat(step.needs()).isEqualTo(List.of(0));
    assertThat(received.workflow().templates().get(step.template()).job().command())
        .containsExactly(
            "/opt/work", "- x \"y\" \\ \t \u2028 \ud83d\ude00 \u0085 {{in}}", "{{x}}", "{{{{y}}}}");
    assertThat(received.workflow().templates().keySet()).doesNotContain("work");
  }

  @Test
  void aRunEndsWithItsTimes() throws IOException {
    serve(
        List.of(
            element(0, "2026-03-01T12:00:00Z", "2026-03-01T12:00:02Z"),
            element(1, "2026-03-01T12:00:03Z", "2026-03-01T12:00:07.5Z")));

    int code =
        imported(
            "--from",
            "wfformat",
            "pair.json",
            "--factor",
            "0.1",
            "--submit",
            "--wait",
            "--json",
            "--run-key",
            "monday");

    assertThat(code).as(run.messages()).isZero();
    assertThat(run.output())
        .isEqualTo(
            "{\"steps\":2,\"succeeded\":2,\"makespanSeconds\":8.25,\"criticalPathSeconds\":4.0,"
                + "\"orderViolations\":0}\n");
    assertThat(received.runKey()).isEqualTo("monday");
    assertThat(chunk.steps())
        .extracting(ListedStep::arguments)
        .containsExactly(Map.of("seconds", "1"), Map.of("seconds", "3"));
  }

  @Test
  void withoutAFactorTheCriticalPathIsMeasured() throws IOException {
    serve(
        List.of(
            element(0, "2026-03-01T12:00:00Z", "2026-03-01T12:00:02Z"),
            element(1, "2026-03-01T12:00:01Z", "2026-03-01T12:00:07.5Z")));

    assertThat(imported("--from", "wfformat", "pair.json", "--submit", "--wait"))
        .as(run.messages())
        .isZero();

    assertThat(run.output())
        .isEqualTo(
            "2 of 2 steps succeeded in 8.250 s; the critical path takes 8.500 s; 1 violation of"
                + " order\n");
  }

  @Test
  void stepsOfUnknownTimesAreTold() throws IOException {
    serve(List.of(element(0, "2026-03-01T12:00:00Z", "2026-03-01T12:00:02Z")));

    imported("--from", "wfformat", "pair.json", "--submit", "--wait");

    assertThat(run.messages()).contains("the times of 1 step are not known");
  }

  @Test
  void problemsNameTheFileAndTheLine() throws IOException {
    Files.writeString(folder.resolve("bad.dag"), "JOB A none.sub\nRETRY B 3\n");

    assertThat(imported("--from", "dagman", "bad.dag", "--submit")).isEqualTo(2);

    assertThat(run.messages())
        .contains(
            "bad.dag: line 1: submit description none.sub cannot be read",
            "bad.dag: line 2: there is no node B; add 'JOB B FILE'");
    assertThat(run.messages()).doesNotContain("Exception", "java.");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aMissingFileIsTold() throws IOException {
    assertThat(imported("--from", "dagman", "none.dag")).isEqualTo(2);
    assertThat(run.messages()).contains("none.dag: cannot be read");
    assertThat(run.output()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--wait, --wait: requires --submit",
    "--run-key=x, --run-key: requires --submit",
    "--timeout=5m, --timeout: requires --wait",
    "--json, --json: requires --submit",
    "--factor=1, --factor: requires --from wfformat",
  })
  void optionsThatHaveNoEffectAreRefused(String option, String reason) throws IOException {
    assertThat(imported("--from", "dagman", "graph.dag", option)).isNotZero();
    assertThat(run.messages()).contains(reason);
  }

  private int imported(String from, String format, String file, String... options)
      throws IOException {
    return run.run(
        Stream.concat(Stream.of("workflow", "import", from, format, path(file)), Stream.of(options))
            .toArray(String[]::new));
  }

  private String path(String file) {
    return folder.resolve(file).toString();
  }

  /** Binds whatever is sent, and has run it. */
  private void serve(List<JobView> elements) {
    cluster.when(
        "POST /v1/workflows",
        call -> {
          received = Json.read(call.body(), WorkflowSubmission.class);
          return json(view());
        });
    cluster.when(
        "POST /v1/workflows/17/steps",
        call -> {
          chunk = Json.read(call.body(), StepChunk.class);
          bound += chunk.steps().size();
          return json(view());
        });
    cluster.when(
        "POST /v1/workflows/17/commit",
        call -> {
          state = WorkflowState.SUCCEEDED;
          return json(view());
        });
    cluster.when("GET /v1/workflows/17/wait", call -> json(view()));
    cluster.when(
        "GET /v1/workflows/17",
        call ->
            json(
                new WorkflowDetails(
                    view(),
                    List.of(new TemplateView("fit", view().progress(), null, 40L, 0, null)),
                    null)));
    // One page for each element.
    List<JobView> newestFirst = new ArrayList<>(elements);
    for (int i = 0; i < newestFirst.size(); i++) {
      Long next = i + 1 < newestFirst.size() ? 1000L + i : null;
      String before = i == 0 ? "" : "&before=" + (999 + i);
      cluster.answering(
          "GET /v1/jobs?array=40&kind=all&limit=1000" + before,
          new JobPage(List.of(newestFirst.get(i)), next));
    }
  }

  private WorkflowView view() {
    Instant started = CommandRun.NOW;
    return new WorkflowView(
        17,
        "pair",
        "",
        "ann",
        state,
        false,
        null,
        1,
        new StepProgress(2, bound, 0, 0, 2, 0, 0),
        null,
        started,
        started,
        state.ended() ? started.plusMillis(8250) : null);
  }

  private static JobView element(long index, String started, String ended) {
    JobView job = Samples.job(100 + index, "fit", JobState.SUCCEEDED, null);
    return new JobView(
        job.id(),
        job.name(),
        job.kind(),
        job.state(),
        job.queue(),
        job.segmentNode(),
        job.owner(),
        job.priority(),
        job.pool(),
        job.attempt(),
        job.node(),
        job.outcome(),
        job.exitCode(),
        job.signal(),
        job.reason(),
        job.submittedAt(),
        job.notBefore(),
        Instant.parse(started),
        Instant.parse(ended),
        job.share(),
        job.lane(),
        job.tags(),
        job.deadline(),
        40L,
        index,
        null,
        null);
  }

  private static HttpAnswer json(Object body) {
    return FakeCluster.answer(200, "application/json", Json.writeBytes(body));
  }
}
