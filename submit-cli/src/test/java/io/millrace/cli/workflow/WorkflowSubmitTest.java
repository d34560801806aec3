package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WorkflowSubmitTest {
  private static final String NIGHTLY =
      """
      kind: workflow
      name: nightly
      arguments: {night: 2026-03-01, version: 1.10}
      maxRunning: 50
      templates:
        fetch:
          job: {command: [fetch, "{workflow.night}", "{part}"], memory: 2GB}
          each: {part: 1-3}
          maxRunning: 5
        check:
          job: {command: [check, "{part}"]}
          each: {part: [1, "2", 03]}
          needs: [{of: fetch, match: element}]
        sum:
          job: {command: [sum, "{region}"]}
          needs: [check]
        report:
          job: {command: [report]}
          needs: [{of: fetch, match: all}, sum]
      steps:
        - {name: south, template: sum, arguments: {region: s}, needs: [north, fetch]}
        - {name: north, template: sum, arguments: {region: n}}
      """;

  @TempDir private Path folder;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);
  private WorkflowSubmission received;
  private StepChunk chunk;
  private WorkflowState state = WorkflowState.BINDING;
  private SubmissionOutcome outcome;
  private int bound;

  @Test
  void aFileIsSubmittedWithItsTemplatesAndListedSteps() throws IOException {
    serve(201, WorkflowState.RUNNING);

    assertThat(submit(NIGHTLY, "--run-key", "monday")).as(run.messages()).isZero();

    assertThat(run.output()).isEqualTo("17\n");
    assertThat(run.messages()).isEqualTo("follow it with: millrace workflow show 17\n");
    assertThat(received.runKey()).isEqualTo("monday");
    assertThat(received.listedSteps()).isEqualTo(2);
    assertThat(received.workflow().templates().keySet())
        .containsExactly("fetch", "check", "sum", "report");
    assertThat(received.workflow().templates().get("check").needs())
        .containsExactly(new StepNeed("fetch", NeedMatch.ELEMENT, null));
    assertThat(received.workflow().templates().get("check").each().get("part").listed())
        .containsExactly("1", "2", "03");
    assertThat(received.workflow().templates().get("sum").listed()).isTrue();
    assertThat(received.workflow().arguments()).containsEntry("version", "1.10");
    assertThat(chunk.first()).isEqualTo(7);
    assertThat(chunk.steps())
        .containsExactly(
            new ListedStep("south", "sum", Map.of("region", "s"), List.of(8), List.of("fetch")),
            new ListedStep("north", "sum", Map.of("region", "n"), List.of(), List.of()));
  }

  @Test
  void theWorkflowMayComeFromStandardInputAsJson() throws IOException {
    serve(201, WorkflowState.RUNNING);
    run.reading(
        """
        {"kind": "workflow", "name": "one",
         "templates": {"a": {"job": {"command": ["ls"]}, "each": {"n": [1, 2]}}}}
        """);

    assertThat(run.run("workflow", "submit", "-f", "-")).as(run.messages()).isZero();

    assertThat(received.workflow().templates().get("a").each().get("n").listed())
        .containsExactly("1", "2");
    assertThat(chunk).isNull();
  }

  @Test
  void everyKeyOfTheFileIsSent() throws IOException {
    serve(201, WorkflowState.RUNNING);

    assertThat(
            submit(
                """
                kind: workflow
                name: all
                maxRunning: 0
                failFast: true
                timeout: 2h
                priority: -5
                onFailure: {command: [page, ann]}
                onSuccess: {command: [mail, ann]}
                notify: {webhook: "https://example.org/hook", on: [failed]}
                templates:
                  a:
                    job: {command: [ls], env: {A: 1.10}, licences: {solver: 1}, cpu: 0.5}
                    maxRunning: 0
                """))
        .as(run.messages())
        .isZero();

    WorkflowSpec sent = received.workflow();
    assertThat(sent.maxRunning()).isZero();
    assertThat(sent.failFast()).isTrue();
    assertThat(sent.timeout()).isEqualTo(Duration.ofHours(2));
    assertThat(sent.priority()).isEqualTo(-5);
    assertThat(sent.onFailure().command()).containsExactly("page", "ann");
    assertThat(sent.onSuccess().command()).containsExactly("mail", "ann");
    assertThat(sent.notification()).isNotNull();
    assertThat(sent.templates().get("a").maxRunning()).isZero();
    assertThat(sent.templates().get("a").job().env()).containsEntry("A", "1.10");
    assertThat(sent.templates().get("a").job().licences()).containsEntry("solver", 1);
  }

  @Test
  void argumentsReplaceThoseOfTheFile() throws IOException {
    serve(201, WorkflowState.RUNNING);

    assertThat(submit(NIGHTLY, "--arg", "night=2026-03-02")).isZero();

    assertThat(received.workflow().arguments())
        .isEqualTo(Map.of("night", "2026-03-02", "version", "1.10"));
  }

  @Test
  void anUnknownArgumentIsRefusedWithTheNearestOne() throws IOException {
    assertThat(submit(NIGHTLY, "--arg", "nigth=2026-03-02")).isEqualTo(2);
    assertThat(run.messages()).contains("--arg", "no argument 'nigth'; did you mean night?");
    assertThat(submit(NIGHTLY, "--arg", "colour=red")).isEqualTo(2);
    assertThat(run.messages()).contains("it has night, version");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aDryRunPrintsTheNumbersOfStepsAndSendsNothing() throws IOException {
    assertThat(submit(NIGHTLY, "--dry-run")).as(run.messages()).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            TEMPLATE  STEPS
            fetch         3
            check         3
            sum           2
            report        1
            workflow nightly: 4 templates, 9 steps
            """);
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aDryRunHasJson() throws IOException {
    assertThat(submit(NIGHTLY, "--dry-run", "--json")).isZero();

    JsonNode summary = Json.mapper().readTree(run.output());
    assertThat(summary.get("steps").asInt()).isEqualTo(9);
    assertThat(summary.get("listedSteps").asInt()).isEqualTo(2);
    assertThat(summary.get("templates").get("check").asInt()).isEqualTo(3);
    assertThat(summary.get("identity").asText()).hasSize(64);
  }

  @Test
  void waitingExitsAsTheWorkflowDid() throws IOException {
    serve(201, WorkflowState.RUNNING);
    cluster.answering(
        "GET /v1/workflows/17/wait?timeout=10s",
        WorkflowCommandsTest.workflow(17, WorkflowState.SUCCEEDED));
    assertThat(submit(NIGHTLY, "--wait")).isZero();
    assertThat(run.output()).isEqualTo("workflow 17 (nightly) succeeded\n");

    cluster.answering(
        "GET /v1/workflows/17/wait?timeout=10s",
        WorkflowCommandsTest.workflow(17, WorkflowState.FAILED));
    assertThat(submit(NIGHTLY, "--wait")).isEqualTo(1);
  }

  @Test
  void aWorkflowThatExistsIsContinuedAndSaidSo() throws IOException {
    serve(200, WorkflowState.RUNNING);
    state = WorkflowState.RUNNING;

    assertThat(submit(NIGHTLY)).isZero();

    assertThat(run.messages()).contains("workflow 17 was submitted before; it is running");
    assertThat(cluster.asked()).containsExactly("POST /v1/workflows");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RUNNING    | UNCHANGED | it is running and was left unchanged; --resume hot or --resume cold applies",
        "CANCELLING | UNCHANGED | it is being cancelled and was left unchanged",
        "FAILED     | UNCHANGED | it has failed and was left unchanged",
        "RUNNING    | RESUMED   | it is resumed with this definition",
        "RUNNING    | CONTINUED | its submission continues"
      })
  void whatTheSubmissionDidIsSaid(WorkflowState found, SubmissionOutcome done, String words)
      throws IOException {
    serve(200, WorkflowState.RUNNING);
    state = found;
    outcome = done;
    cluster.answering(
        "GET /v1/workflows/17/wait?timeout=10s",
        WorkflowCommandsTest.workflow(17, WorkflowState.SUCCEEDED));

    assertThat(submit(NIGHTLY, "--json")).isZero();

    assertThat(run.messages()).contains("workflow 17 was submitted before; " + words);
    assertThat(Json.mapper().readTree(run.output()).get("outcome").asText()).isEqualTo(done.name());
    CommandRun waiting = new CommandRun(cluster);
    String file = folder.resolve("nightly.yaml").toString();
    assertThat(waiting.run("workflow", "submit", "-f", file, "--wait", "--json")).isZero();
    assertThat(Json.mapper().readTree(waiting.output()).get("outcome").asText())
        .isEqualTo(done.name());
  }

  @Test
  void oneThatHasSucceededIsAConflict() throws IOException {
    cluster.refusing(
        "POST /v1/workflows", ErrorCode.CONFLICT, "workflow 17 has succeeded; use --run-key");

    assertThat(submit(NIGHTLY)).isEqualTo(6);
    assertThat(submit(NIGHTLY, "--wait")).isEqualTo(125);
    assertThat(run.messages()).contains("use --run-key");
  }

  @Test
  void aRefusedGraphIsAFailureWithItsReason() throws IOException {
    serve(201, WorkflowState.REFUSED);

    assertThat(submit(NIGHTLY)).isEqualTo(1);

    assertThat(run.output()).isEmpty();
    assertThat(run.messages()).contains("workflow 17 (nightly) refused: cycle: south, north");
  }

  @Test
  void manyStepsAreSentInChunks() throws IOException {
    serve(201, WorkflowState.RUNNING);
    StringBuilder text = new StringBuilder("kind: workflow\nname: many\ntemplates:\n");
    text.append("  a: {job: {command: [run, '{n}']}}\nsteps:\n");
    for (int i = 0; i < 1_500; i++) {
      text.append("- {template: a, arguments: {n: ").append(i).append("}}\n");
    }

    assertThat(submit(text.toString())).as(run.messages()).isZero();

    assertThat(cluster.asked()).filteredOn(call -> call.endsWith("/steps")).hasSize(2);
    assertThat(chunk.steps()).hasSize(476);
    assertThat(run.messages()).contains("workflow 17: 1,024 of 1,500 listed steps sent");
  }

  @Test
  void anInterruptedCommandSaysHowItContinues() throws IOException {
    serve(201, WorkflowState.RUNNING);
    cluster.when(
        "GET /v1/workflows/17/wait?timeout=10s",
        call -> {
          run.interrupt();
          return json(200, WorkflowCommandsTest.workflow(17, WorkflowState.SUCCEEDED));
        });
    submit(NIGHTLY, "--wait");

    assertThat(run.messages())
        .contains("workflow 17 continues; cancel it with: millrace workflow cancel 17");
  }

  @Test
  void aFileThatIsTooLargeIsRefused() throws IOException {
    assertThat(submit("#".repeat((int) WorkflowFile.LARGEST.bytes() + 1))).isEqualTo(2);
    assertThat(run.messages()).contains("is larger than 3MB; make its steps with 'each'");
  }

  @Test
  void anEndlessStandardInputIsRefusedOnceItIsTooLong() {
    long[] read = {0};
    run.reading(
        new InputStream() {
          @Override
          public int read() {
            read[0]++;
            return '#';
          }
        });

    assertThat(run.run("workflow", "submit", "-f", "-")).isEqualTo(2);

    assertThat(run.messages())
        .contains("standard input is larger than 3MB", "'each'", "--steps", "Java or Python");
    assertThat(read[0]).isLessThan(2 * WorkflowFile.LARGEST.bytes());
  }

  @Test
  void aFileOf200MegabytesIsRefusedWithoutBeingRead() throws IOException {
    Path file = folder.resolve("large.yaml");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(200L << 20);
    }

    assertThat(run.run("workflow", "submit", "-f", file.toString())).isEqualTo(2);

    assertThat(run.messages()).contains("large.yaml is larger than 3MB");
  }

  @Test
  void allProblemsOfAFileAreToldTogether() throws IOException {
    assertThat(
            submit(
                """
                kind: workflow
                name: nightly
                templates:
                  fetch:
                    job: {command: [fetch, "{part}"]}
                    each: {part: 1-3}
                    needs: [{of: ftch}]
                  sum:
                    job: {command: [sum, "{region}"]}
                steps:
                  - {name: a, template: sum, arguments: {region: n}, needs: [b, feth]}
                  - {name: a, template: smu}
                  - {template: sum, arguments: {regoin: n}}
                """))
        .isEqualTo(2);

    assertThat(run.messages())
        .contains(
            "nightly.yaml, steps[1].template (line 12): there is no template 'smu'; there are"
                + " fetch, sum",
            "nightly.yaml, steps[0].needs[0] (line 11): there is no step or template 'b'",
            "nightly.yaml, steps[0].needs[1] (line 11): there is no step or template 'feth'; did"
                + " you mean fetch?",
            "nightly.yaml, templates.fetch.needs[0] (line 7): there is no template 'ftch'",
            "(line 13): region is missing, which template sum uses",
            "template sum does not use regoin; it uses region");
    assertThat(cluster.asked()).isEmpty();
  }

  static Stream<Arguments> badFiles() {
    return Stream.of(
        Arguments.of("", "is empty; begin it with 'kind: workflow'"),
        Arguments.of("name: a", "'kind:' is missing"),
        Arguments.of("kind: queue", "write 'kind: workflow', not 'queue'"),
        Arguments.of("- a", "expected a mapping"),
        Arguments.of("kind: workflow\n---\nkind: workflow", "has 2 documents"),
        Arguments.of("kind: workflow\nname: a/b", "letters"),
        Arguments.of("kind: workflow\nname: a", "templates: there must be from 1"),
        Arguments.of("kind: workflow\ntemplats: {}", "did you mean 'templates'?"),
        Arguments.of(one("single: x, "), "single, array, after"),
        Arguments.of(one("retrys: 3, "), "did you mean 'retry'?"),
        Arguments.of(one("") + "    each: {n: []}", "from 1 to 1000000 values"),
        Arguments.of(one("") + "    each: {n: 5-1}", "must not exceed"),
        Arguments.of(one("") + "    needs: [{of: b, match: some}]", "all, element, argument"),
        Arguments.of(one("") + "steps: [{name: x}]", "template is missing"),
        Arguments.of(one("") + "steps: [{template: a, need: [b]}]", "did you mean 'needs'?"),
        Arguments.of("{\"kind\": \"workflow\"", "line 1"));
  }

  private static String one(String keys) {
    return "kind: workflow\nname: w\ntemplates:\n  a:\n    job: {" + keys + "command: [ls]}\n";
  }

  @ParameterizedTest(name = "{index}: {1}")
  @MethodSource("badFiles")
  void whatIsWrongIsToldWithTheFileAndTheFix(String text, String fix) throws IOException {
    assertThat(submit(text)).as(run.messages()).isEqualTo(2);

    assertThat(run.messages()).contains("--file").contains("nightly.yaml").contains(fix);
    assertThat(run.messages()).doesNotContain("Exception", "java.");
    assertThat(cluster.asked()).isEmpty();
  }

  private static final String STUDY =
      """
      kind: workflow
      name: study
      templates:
        fit: {job: {command: [fit, "{x}"]}}
        all: {job: {command: [all]}, needs: [fit]}
      """;

  private Path lines(String... lines) throws IOException {
    return Files.writeString(folder.resolve("steps.ndjson"), String.join("\n", lines));
  }

  @Test
  void stepsAreListedInAFileOfTheirOwnAndMayNeedLaterOnes() throws IOException {
    serve(201, WorkflowState.RUNNING);
    Path file =
        lines(
            "{\"name\": \"a\", \"template\": \"fit\", \"arguments\": {\"x\": 1.10}, \"needs\": [\"b\"]}",
            "{\"name\": \"b\", \"template\": \"fit\", \"arguments\": {\"x\": \"$(rm) 'ü' {y}\"}}");

    assertThat(submit(STUDY, "--steps", file.toString())).as(run.messages()).isZero();

    assertThat(chunk.first()).isEqualTo(1);
    assertThat(chunk.steps())
        .containsExactly(
            new ListedStep("a", "fit", Map.of("x", "1.10"), List.of(2), List.of()),
            new ListedStep("b", "fit", Map.of("x", "$(rm) 'ü' {y}"), List.of(), List.of()));
  }

  @Test
  void aFileOfStepsMayHaveMoreThanOneChunk() throws IOException {
    serve(201, WorkflowState.RUNNING);
    String[] all = new String[5_000];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          "{\"name\":\"s%d\",\"template\":\"fit\",\"arguments\":{\"x\":%d}%s}"
              .formatted(i, i, i == 0 ? "" : ",\"needs\":[\"s%d\"]".formatted(i - 1));
    }

    assertThat(submit(STUDY, "--steps", lines(all).toString())).as(run.messages()).isZero();

    assertThat(received.listedSteps()).isEqualTo(5_000);
    assertThat(bound).isEqualTo(5_000);
  }

  static Stream<Arguments> badLines() {
    String good = "{\"name\": \"a\", \"template\": \"fit\", \"arguments\": {\"x\": \"1\"}}";
    return Stream.of(
        Arguments.of(good + "\n{", "line 2: "),
        Arguments.of(good + "\n\n" + good, "line 2: it is empty"),
        Arguments.of(good + "\n" + good.replace("1", "2"), "line 2: name: steps[0] has the same"),
        Arguments.of(good + "\n" + good.replace("\"a\"", "\"b\""), "line 2: two steps"),
        Arguments.of(good.replace("}}", "}, \"needs\": [\"c\"]}"), "line 1: needs[0]: there is no"),
        Arguments.of(good.replace("fit", "fot"), "line 1: template: there is no template 'fot'"),
        Arguments.of(good.replace("template", "templete"), "line 1: "),
        Arguments.of("{\"name\": \"a\"}", "line 1: "),
        Arguments.of("\"" + "x".repeat(StepLines.LONGEST_LINE), "line 1: it is longer than"));
  }

  @ParameterizedTest(name = "{index}: {1}")
  @MethodSource("badLines")
  void whatIsWrongInAFileOfStepsIsToldWithTheLine(String text, String problem) throws IOException {
    assertThat(submit(STUDY, "--steps", lines(text).toString())).as(run.messages()).isEqualTo(2);

    assertThat(run.messages()).contains("steps.ndjson: " + problem);
    assertThat(run.messages()).doesNotContain("Exception", "java.");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aListFromAStepIsSubmittedWithTheMostOfItsValues() throws IOException {
    serve(201, WorkflowState.RUNNING);
    String given =
        """
        kind: workflow
        name: fan
        templates:
          list: {job: {command: [list]}}
          convert:
            job: {command: [convert, "{file}"]}
            each: {file: {from: list.files, max: 5000}}
            needs: [list]
        """;

    assertThat(submit(given)).as(run.messages()).isZero();
    assertThat(received.workflow().templates().get("convert").source())
        .isEqualTo(new ListSource("list.files", 5000));

    assertThat(submit(given, "--dry-run")).as(run.messages()).isZero();
    assertThat(run.output())
        .contains("convert   up to 5,000")
        .contains("workflow fan: 2 templates, up to 5,001 steps");
  }

  static Stream<Arguments> badSources() {
    return Stream.of(
        Arguments.of("{from: list.files, most: 5}", "'most' is unknown"),
        Arguments.of("{max: 5}", "from is missing"),
        Arguments.of("{from: list.files, max: many}", "max: 'many' is not a whole number"),
        Arguments.of("{from: list.files, max: 0}", "max must be from 1 to"),
        Arguments.of("{from: lost.files}", "'lost.files' is not TEMPLATE.NAME"),
        Arguments.of("{from: several.files}", "by the only step of a template, but several has 2"),
        Arguments.of("{from: other.files}", "add other to needs"));
  }

  @ParameterizedTest(name = "{index}: {1}")
  @MethodSource("badSources")
  void aWrongListFromAStepIsRefusedInTheFile(String source, String problem) throws IOException {
    String text =
        """
        kind: workflow
        name: fan
        templates:
          list: {job: {command: [list]}}
          other: {job: {command: [list]}}
          several: {job: {command: [list, "{i}"]}, each: {i: 1-2}}
          convert:
            job: {command: [convert, "{file}"]}
            each: {file: %s}
            needs: [list]
        """
            .formatted(source);

    assertThat(submit(text)).as(run.messages()).isEqualTo(2);
    assertThat(run.messages()).contains(problem).contains("nightly.yaml");
  }

  private int submit(String text, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("nightly.yaml"), text);
    return run.run(
        Stream.concat(Stream.of("workflow", "submit", "-f", file.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  /** Binds whatever is sent. */
  private void serve(int status, WorkflowState afterwards) {
    cluster.when(
        "POST /v1/workflows",
        call -> {
          received = read(call, WorkflowSubmission.class);
          return json(status, view());
        });
    cluster.when(
        "POST /v1/workflows/17/steps",
        call -> {
          chunk = read(call, StepChunk.class);
          bound += chunk.steps().size();
          return json(200, view());
        });
    cluster.when(
        "POST /v1/workflows/17/commit",
        call -> {
          state = afterwards;
          return json(200, view());
        });
  }

  private WorkflowView view() {
    return new WorkflowView(
        17,
        "nightly",
        "",
        "ann",
        state,
        false,
        state == WorkflowState.REFUSED ? "cycle: south, north" : null,
        1,
        new StepProgress(9, bound, 9, 0, 0, 0, 0),
        null,
        CommandRun.NOW,
        null,
        null,
        outcome);
  }

  private static <T> T read(HttpCall call, Class<T> type) {
    return Json.read(call.body(), type);
  }

  private static HttpAnswer json(int status, Object body) {
    return FakeCluster.answer(status, "application/json", Json.writeBytes(body));
  }
}
