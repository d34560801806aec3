package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.job.JobView.JobPage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodesTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aSuccessfulCommandExitsWithZero() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));
    assertThat(run.run("job", "list")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "INTERNAL,1",
    "INVALID_REQUEST,2",
    "UNKNOWN_JOB,3",
    "UNAUTHENTICATED,4",
    "FORBIDDEN,4",
    "UNAVAILABLE,5",
    "CONFLICT,6",
    "TIMEOUT,7"
  })
  void aProblemIsReportedWithItsCodeAndExitCode(ErrorCode code, int exit) {
    cluster.refusing("GET /v1/jobs/17", code, "what happened");
    assertThat(run.run("job", "show", "17")).isEqualTo(exit);
    assertThat(run.messages()).isEqualTo("error: what happened [" + code + "]\n");
    assertThat(run.output()).isEmpty();
  }

  @Test
  void withJsonAProblemIsPrintedAsJson() {
    cluster.refusing("GET /v1/jobs/17", ErrorCode.UNKNOWN_JOB, "no job 17");
    run.run("job", "show", "17", "--json");
    assertThat(run.output().strip())
        .contains("\"error\"")
        .contains("\"code\":\"UNKNOWN_JOB\"")
        .contains("\"detail\":\"no job 17\"");
  }

  @Test
  void messagesOfServersAreEscaped() {
    cluster.refusing("GET /v1/jobs/17", ErrorCode.CONFLICT, "a\u001b]0;owned\u0007b");
    run.run("job", "show", "17");
    assertThat(run.messages()).contains("a\\x1b]0;owned\\x07b");
  }

  @Test
  void withoutAServerTheMessageShowsHowToStartOne() {
    assertThat(run.without("MILLRACE_URL").run("job", "list")).isEqualTo(5);
    assertThat(run.messages()).contains("bin/millrace up").contains("--server");
  }

  @Test
  void aServerThatDoesNotAnswerIsUnreachable() {
    cluster.goDown();
    assertThat(run.run("queue", "list")).isEqualTo(5);
    assertThat(run.messages()).contains("127.0.0.1:7700").contains("millrace up");
  }

  @ParameterizedTest
  @CsvSource({"job list --nonsense", "job", "queue", "job show seventeen", "submit", "nonsense"})
  void anUnparsableCommandLineIsAUsageError(String line) {
    assertThat(run.run(line.split(" ", -1))).isEqualTo(2);
    assertThat(run.messages()).startsWith("error: ");
  }

  @Test
  void aTypoGetsASuggestion() {
    assertThat(run.run("job", "lisst")).isEqualTo(2);
    assertThat(run.messages()).contains("job list");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "queue delete bad | 'millrace delete queue bad'",
        "queue delete bad --drain | 'millrace delete queue bad --drain'",
        "task delete | 'millrace delete task NAME'",
        "partition delete x | 'millrace delete' or 'millrace job delete' or 'millrace workflow delete'"
      })
  void aDeletionOfADefinitionThatIsAskedOfItsGroupIsShownAsItIsTyped(String line, String meant) {
    assertThat(run.run(line.split(" ", -1))).isEqualTo(2);
    assertThat(run.messages()).contains("did you mean " + meant + "?");
  }

  @Test
  void aServerThatIsNotACentralManagerIsNamedAsWhatIsMissing() {
    cluster.refusing("GET /v1/overview", ErrorCode.UNKNOWN_ROUTE, "there is no such route");
    assertThat(run.run("queue", "list")).isEqualTo(1);
    assertThat(run.messages())
        .isEqualTo(
            """
            error: there is no such route [UNKNOWN_ROUTE]
            name a central manager of this version with --server or MILLRACE_URL
            """);
  }

  @Test
  void everyCommandHasHelp() {
    assertThat(run.run("queue", "send", "--help")).isZero();
    assertThat(run.output()).contains("Usage: millrace queue send").contains("Examples:");
  }

  @Test
  void helpIsACommandAsWell() {
    assertThat(run.run("help")).isZero();
    assertThat(run.output()).startsWith("Usage: millrace [OPTIONS] COMMAND").contains("  help ");
    CommandRun deeper = new CommandRun(cluster);
    assertThat(deeper.run("help", "queue", "send")).isZero();
    assertThat(deeper.output()).startsWith("Usage: millrace queue send");
    CommandRun wrong = new CommandRun(cluster);
    assertThat(wrong.run("help", "queue", "sned")).isEqualTo(2);
    assertThat(wrong.messages()).contains("unknown command 'sned'", "millrace queue --help");
  }

  @ParameterizedTest
  @CsvSource({"--version", "-V", "version"})
  void theVersionIsPrintedByOptionAndCommand(String word) {
    assertThat(run.run(word)).isZero();
    assertThat(run.output()).startsWith("millrace ").contains("(Java ");
  }

  @ParameterizedTest
  @CsvSource({"submit --json --nope -- true", "--json nonsense", "job show x --json"})
  void usageErrorsArePrintedAsJsonToo(String line) {
    assertThat(run.run(line.split(" ", -1))).isEqualTo(2);
    assertThat(run.output()).startsWith("{\"error\":").contains("\"code\":\"INVALID_REQUEST\"");
  }

  @Test
  void jsonOfTheJobsOwnCommandIsNotAnOption() {
    assertThat(run.run("submit", "--nope", "--", "x", "--json")).isEqualTo(2);
    assertThat(run.output()).isEmpty();
  }
}
