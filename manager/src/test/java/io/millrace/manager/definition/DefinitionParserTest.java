package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.platform.clock.SystemClock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionParserTest {
  private final DefinitionParser parser =
      new DefinitionParser(new DefinitionKinds(List.of(new QueueKind())));

  @Test
  void oneFileMayHoldSeveralDocuments() {
    List<DefinitionText> definitions =
        parse(
            """
            kind: queue
            name: alert
            ---
            # nothing but a remark
            ---
            kind: queue
            name: order
            """);

    assertThat(definitions).extracting(DefinitionText::name).containsExactly("alert", "order");
  }

  @Test
  void noFilesAtAllAreRefusedByTheKeyOfTheRequest() {
    assertThatThrownBy(() -> parser.parse(List.of()))
        .hasMessage(
            "none of the definitions is accepted until these errors are fixed:\n"
                + "files: the list is empty; send at least one file with definitions");
  }

  @Test
  void aRuleThatBeginsWithItsPathIsToldWithThePathOnce() {
    DefinitionReading reading =
        new DefinitionParser(KnownKinds.all(new SystemClock()))
            .read(
                List.of(
                    new SourceFile(
                        "a.yaml",
                        """
                        kind: task
                        name: a
                        schedule: {cron: "@every 0s"}
                        job: {command: ["true"]}
                        """)));
    assertThat(reading.problems())
        .containsExactly("a.yaml, document 1, schedule (line 3): every must be at least 1s");
  }

  @Test
  void aNegativeLimitIsNamed() {
    assertThat(problems("{kind: queue, name: a, worker: {command: [w]}, pacing: {backlog: -3}}"))
        .singleElement()
        .asString()
        .endsWith("pacing.backlog must not be negative, it is -3");
  }

  @Test
  void aNulInACommandThatCountsEventsIsRefusedAsInOtherCommands() {
    assertThat(
            problems(
                "{kind: queue, name: a, worker: {command: [w]}, source: {waiting: [\"a\\0\"]}}"))
        .singleElement()
        .asString()
        .contains("source.waiting")
        .endsWith("contains a NUL character, which cannot be passed to a program");
  }

  private List<String> problems(String text) {
    return parser.read(List.of(new SourceFile("a.yaml", text))).problems();
  }

  @Test
  void omittedFieldsGetDefaultsInTheCanonicalForm() {
    assertThat(parse("{kind: queue, name: alert}").get(0).lines())
        .startsWith("kind: queue", "name: alert", "batch: 50", "maxAttempts: 5")
        .contains("pacing:", "  policy: demand", "  tick: 5s")
        .doesNotContain("worker: null");
  }

  @Test
  void aZeroIsRefusedWhereItWouldBecomeTheDefault() {
    SourceFile file =
        new SourceFile(
            "alert.yaml",
            """
            kind: queue
            name: alert
            batch: 0
            pacing: {maxWorkers: 0}
            worker:
              command: [cat]
              slots: 0
              retry: {max: 0}
            ---
            kind: queue
            name: other
            keepDead: 0s
            """);
    assertThat(
            parser.read(List.of(file)).problems().stream()
                .filter(one -> one.contains("0 is not allowed")))
        .hasSize(3)
        .anyMatch(one -> one.contains("batch (line 3): 0 is not allowed; leave it out"))
        .anyMatch(one -> one.contains("pacing.maxWorkers (line 4): 0 is not allowed"))
        .anyMatch(one -> one.contains("worker.slots (line 7): 0 is not allowed"));
  }

  @Test
  void argumentsStayAsTheyWereWritten() {
    QueueDefinition queue =
        Json.read(
            parse(
                    """
                    kind: queue
                    name: alert
                    worker:
                      command: [sleep, 1.10, 010, no, 1e3]
                      env: {VERSION: 2.0}
                    """)
                .get(0)
                .json(),
            QueueDefinition.class);

    assertThat(queue.worker().command()).containsExactly("sleep", "1.10", "010", "no", "1e3");
    assertThat(queue.worker().env()).containsEntry("VERSION", "2.0");
  }

  @Test
  void everyProblemOfAllFilesIsReportedAtOnceWithFileDocumentAndField() {
    SourceFile first =
        new SourceFile(
            "alert.yaml",
            """
            kind: queue
            name: not a name
            bach: 10
            lease: 5 parsecs
            pacing: {policy: hope, tick: 1ms}
            worker:
              comand: [grep, x]
              input: telepathy
            """);
    SourceFile second =
        new SourceFile(
            "more.yaml",
            """
            kind: queue
            name: order
            batch: many
            ---
            kind: cue
            name: sms
            ---
            kind: queue
            name: order
            """);

    assertThatThrownBy(() -> parser.parse(List.of(first, second)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll(
            "alert.yaml, document 1, name (line 2): name must be 1 to 60",
            "alert.yaml, document 1, bach (line 3): unknown key; did you mean 'batch'?",
            "alert.yaml, document 1, lease (line 4): '5 parsecs' is not a duration",
            "alert.yaml, document 1, pacing.policy (line 5): pacing.policy must be demand or threshold",
            "alert.yaml, document 1, pacing.tick (line 5): pacing.tick must be at least 100ms",
            "alert.yaml, document 1, worker.comand (line 7): unknown key; did you mean 'command'?",
            "alert.yaml, document 1, worker.input (line 8): 'telepathy' is not a worker input",
            "alert.yaml, document 1, worker.command (line 6): worker.command is missing",
            "more.yaml, document 1, batch (line 3): expected a whole number, found \"many\"",
            "more.yaml, document 2, kind (line 5): 'cue' is not a kind; write one of queue");
  }

  @ParameterizedTest
  @CsvSource({
    "night/ly-1.yaml, night/ly-1.yaml",
    "standard input, FILE",
    "a;b.yaml, FILE",
    "-f.yaml, FILE"
  })
  void aWorkflowIsToBeSubmitted(String file, String shown) {
    assertThat(parser.read(List.of(new SourceFile(file, "{kind: workflow, name: n}"))).problems())
        .containsExactly(
            file
                + ", document 1, kind (line 1): a workflow is submitted, not applied: millrace"
                + " workflow submit -f "
                + shown
                + " (--dry-run checks it)");
  }

  @Test
  void whatIsMissingInAPartIsReportedOnce() {
    assertThat(
            parser
                .read(
                    List.of(
                        file(
                            "{kind: queue, name: a, worker: {command: [x]}, source: {every: 5s}}")))
                .problems())
        .singleElement()
        .asString()
        .contains("source.waiting is missing");
  }

  @Test
  void aDurationOfMoreThanTenYearsIsRefusedWithTheReason() {
    String queue = "{kind: queue, name: a, worker: {command: [x], timeout: %s}}";
    for (String tooLong : List.of("99999999h", "3651d", "PT99999999H")) {
      assertThat(parser.read(List.of(file(queue.formatted(tooLong)))).problems())
          .singleElement()
          .asString()
          .contains("worker.timeout", "'" + tooLong + "' is longer than 10 years (3650d)");
    }
    assertThat(parser.read(List.of(file(queue.formatted("3650d")))).problems()).isEmpty();
  }

  @Test
  void aNulInACommandIsAProblemOfTheCommand() {
    String queue = "{kind: queue, name: a, worker: {command: [\"x\\0y\"]}}";
    assertThat(parser.read(List.of(file(queue))).problems())
        .singleElement()
        .asString()
        .contains("worker.command", "contains a NUL character")
        .doesNotContain("name");
  }

  private static SourceFile file(String text) {
    return new SourceFile("test.yaml", text);
  }

  @Test
  void aNameDefinedTwiceInOneRequestIsAProblem() {
    assertThatThrownBy(() -> parse("{kind: queue, name: a}\n---\n{kind: queue, name: a}"))
        .hasMessageContaining("document 2, name")
        .hasMessageContaining("queue a is already defined in test.yaml, document 1 (line 1)");
  }

  @Test
  void wrongFormsBrokenYamlAliasesAndEmptyFilesAreProblems() {
    assertThatThrownBy(() -> parse("{kind: queue, name: a, worker: {command: echo}}"))
        .hasMessageContaining(
            "worker.command (line 1): expected a list such as [a, b], found \"echo\"");
    assertThatThrownBy(() -> parse("kind: queue\nname: [a"))
        .hasMessageContaining("test.yaml, document 1, line 2");
    assertThatThrownBy(() -> parse("kind: queue\nname: a\nname: b"))
        .hasMessageContaining("the key 'name' is given twice");
    assertThatThrownBy(() -> parse("kind: queue\nname: &x a\nworker: {command: [*x]}"))
        .hasMessageContaining("anchors and aliases are not supported");
    assertThatThrownBy(() -> parse("# empty")).hasMessageContaining("contains no definitions");
    assertThatThrownBy(() -> parse("- a")).hasMessageContaining("begins with 'kind:'");
  }

  @Test
  void rulesBeyondTheRecordNameTheLineOfTheirField() {
    assertThatThrownBy(() -> parse("kind: queue\nname: a\nworker:\n  command: [x]\n  cwd: here\n"))
        .hasMessageContaining("test.yaml, document 1, worker.cwd (line 5): 'here' is relative");
  }

  @Test
  void validDefinitionsAreReportedNextToErrors() {
    DefinitionReading reading =
        parser.read(
            List.of(
                new SourceFile(
                    "a.yaml",
                    "{kind: queue, name: good}\n---\n{kind: queue, name: bad, batch: -1}")));

    assertThat(reading.definitions()).extracting(DefinitionText::name).containsExactly("good");
    assertThat(reading.definitions().get(0).place()).isEqualTo("a.yaml, document 1 (line 1)");
    assertThat(reading.problems())
        .containsExactly("a.yaml, document 2, batch (line 3): batch must be from 1 to 10000");
  }

  private List<DefinitionText> parse(String yaml) {
    return parser.parse(List.of(new SourceFile("test.yaml", yaml)));
  }
}
