package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.ResourceAdjustment.AdjustmentKind;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsSubmittedJobsInAlignedRows() {
    cluster.answering(
        "GET /v1/jobs",
        new JobPage(
            List.of(
                Samples.job(12, "report", JobState.RUNNING, null),
                Samples.job(7, "sh", JobState.FAILED, 3)),
            null));
    run.run("job", "list");
    assertThat(cluster.asked()).containsExactly("GET /v1/jobs?limit=50");
    assertThat(run.output())
        .isEqualTo(
            """
            ID  NAME    STATE    TRY  NODE   TOOK  AGE  REMARK
            12  report  running    1  e1    11.0s  12s
             7  sh      failed     1  e1     2.0s  12s  exit code 3
            """);
  }

  @Test
  void theResultOfAFormerAttemptIsNotShownAsThatOfTheRunningOne() {
    cluster.answering(
        "GET /v1/jobs", new JobPage(List.of(Samples.job(12, "report", JobState.RUNNING, 3)), null));
    run.run("job", "list");
    assertThat(run.output()).contains("running").doesNotContain("exit code");

    JobView waiting = Samples.job(12, "report", JobState.WAITING, null);
    JobSpec spec = JobDraft.command("true").spec();
    List<AttemptView> attempts = List.of(failed(2, 3), failed(1, 4));
    cluster.answering("GET /v1/jobs/12", new JobDetails(waiting, spec, attempts, List.of()));
    run.run("job", "show", "12");
    assertThat(run.output())
        .containsPattern("last result +exit code 3")
        .doesNotContainPattern("\n *result +exit code");
  }

  private static AttemptView failed(int number, int exitCode) {
    Instant start = CommandRun.NOW.minusSeconds(40);
    return new AttemptView(
        number,
        "e1",
        JobState.FAILED,
        start,
        start,
        start.plusSeconds(9),
        Outcome.FAILED,
        exitCode,
        null,
        null,
        null,
        null,
        null);
  }

  @Test
  void withAllWorkersAndManagersAreListedToo() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));
    run.run("job", "list", "--all", "--state", "failed", "--queue", "a b", "--limit", "5");
    assertThat(cluster.asked())
        .containsExactly("GET /v1/jobs?kind=all&state=failed&queue=a%20b&limit=5");
  }

  @Test
  void namesAreEscaped() {
    cluster.answering(
        "GET /v1/jobs",
        new JobPage(List.of(Samples.job(1, "\u001b[2Jx\u202ey\n", JobState.WAITING, null)), null));
    run.run("job", "list");
    assertThat(run.output()).contains("\\x1b[2Jx\\u202ey\\n").doesNotContain("\u001b", "\u202e");
  }

  @Test
  void coloursAreUsedOnTerminalsOnlyUnlessDisabled() {
    cluster.answering(
        "GET /v1/jobs", new JobPage(List.of(Samples.job(1, "a", JobState.SUCCEEDED, 0)), null));
    run.onTerminal().run("job", "list");
    assertThat(run.output()).contains("\u001b[32msucceeded\u001b[0m");

    CommandRun objecting = new CommandRun(cluster).onTerminal().with("NO_COLOR", "1");
    objecting.run("job", "list");
    assertThat(objecting.output()).doesNotContain("\u001b");

    CommandRun optedOut = new CommandRun(cluster).onTerminal();
    optedOut.run("--no-color", "job", "list");
    assertThat(optedOut.output()).doesNotContain("\u001b");
  }

  @Test
  void withJsonThePageIsThatOfTheServer() {
    cluster.answering(
        "GET /v1/jobs", new JobPage(List.of(Samples.job(1, "a", JobState.SUCCEEDED, 0)), null));
    run.run("--json", "job", "list");
    assertThat(run.output()).startsWith("{\"jobs\":[{\"id\":1,\"name\":\"a\"");
  }

  @Test
  void waitingExitsWithTheExitCodeOfTheJob() {
    cluster.answering("GET /v1/jobs/3/wait", Samples.job(3, "a", JobState.FAILED, 42));
    assertThat(run.run("job", "wait", "3")).isEqualTo(42);
  }

  @Test
  void waitingBeyondTheTimeoutExitsWith124() {
    cluster.answering("GET /v1/jobs/3/wait", Samples.job(3, "a", JobState.RUNNING, null));
    assertThat(run.run("job", "wait", "3", "--timeout", "0")).isEqualTo(124);
    assertThat(run.messages()).contains("still running");
  }

  @Test
  void logsAreWrittenToStdoutAndStderr() {
    cluster
        .writing("GET /v1/jobs/3/logs?attempt=0&stream=stdout", "words\n")
        .writing("GET /v1/jobs/3/logs?attempt=0&stream=stderr", "complaints\n");
    assertThat(run.run("job", "logs", "3")).isZero();
    assertThat(run.output()).isEqualTo("words\n");
    assertThat(run.messages()).isEqualTo("complaints\n");
  }

  @Test
  void theRequestsOfAJobThatExceededOneAreListed() {
    cluster.answering(
        "GET /v1/jobs/3",
        new JobDetails(
            Samples.job(3, "a", JobState.SUCCEEDED, 0),
            JobDraft.command("true")
                .memory("3GB")
                .retry(RetryPolicy.upTo(2).scaled(ResourceScale.by(1.5), List.of("large")))
                .spec(),
            List.of(),
            List.of(),
            null,
            List.of(
                request(1, AdjustmentKind.ORIGINAL, "2GB", null),
                request(2, AdjustmentKind.ADJUSTED, "3GB", "memory 2GB -> 3GB")),
            null));
    assertThat(run.run("job", "show", "3")).isZero();
    assertThat(run.output())
        .contains("resources x 1.5, then in pool large")
        .containsPattern("FROM TRY +AGE +POOL +MEMORY +TIMEOUT +REASON")
        .containsPattern(" 1 +\\S+ +default +2GB +1h +as submitted")
        .containsPattern(" 2 +\\S+ +default +3GB +1h +memory 2GB -> 3GB");
  }

  private static ResourceAdjustment request(
      int attempt, AdjustmentKind kind, String memory, String reason) {
    return new ResourceAdjustment(
        CommandRun.NOW,
        attempt,
        kind,
        "default",
        DataSize.parse(memory),
        Duration.ofHours(1),
        reason);
  }

  @Test
  void theLastLinesOfEachStreamArePrinted() {
    cluster
        .writing("GET /v1/jobs/3/logs?attempt=0&stream=stdout", "1\n2\n3")
        .writing("GET /v1/jobs/3/logs?attempt=0&stream=stderr", "a\n");
    assertThat(run.run("job", "logs", "3", "--tail", "2")).isZero();
    assertThat(run.output()).isEqualTo("2\n3");
    assertThat(run.messages()).isEqualTo("a\n");
  }

  @Test
  void followingContinuesAfterTheLastLines() {
    cluster
        .answering(
            "GET /v1/jobs/3",
            new JobDetails(
                Samples.job(3, "a", JobState.SUCCEEDED, 0),
                JobDraft.command("true").spec(),
                List.of(),
                List.of()))
        .answering("GET /v1/jobs/3/wait", Samples.job(3, "a", JobState.SUCCEEDED, 0))
        .writing("GET /v1/jobs/3/logs?attempt=1&stream=stdout&offset=0&follow=false", "1\n2\n3\n")
        .writing("GET /v1/jobs/3/logs?attempt=1&stream=stdout&offset=6&follow=true", "4\n");
    assertThat(run.run("job", "logs", "3", "-f", "--tail", "1", "--stdout")).isZero();
    assertThat(run.output()).isEqualTo("3\n4\n");
  }

  @Test
  void aTermWithAMinusSignExcludesJobs() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));
    assertThat(run.run("job", "list", "-state:succeeded", "since:2h")).isZero();
    assertThat(cluster.asked())
        .containsExactly("GET /v1/jobs?search=-state%3Asucceeded%20since%3A2h&limit=50");
    assertThat(run.run("job", "list", "--limti", "5")).isEqualTo(2);
    assertThat(run.messages()).contains("Unknown option: '--limti'");
  }

  @Test
  void theLogsAsJsonAreLinesWithTheirStream() {
    cluster.writing("GET /v1/jobs/3/logs?attempt=2&stream=stderr", "a\nb");
    run.run("job", "logs", "3", "--stderr", "--attempt", "2", "--json");
    assertThat(run.output())
        .isEqualTo(
            """
            {"job":3,"attempt":2,"stream":"stderr","text":"a"}
            {"job":3,"attempt":2,"stream":"stderr","text":"b"}
            """);
  }

  @Test
  void onATerminalLogsAreEscapedUnlessRaw() {
    cluster.writing("GET /v1/jobs/3/logs", "\u001b[31mred\u001b[0m \u001b]0;title\u0007\n");
    run.onTerminal().run("job", "logs", "3", "--stdout");
    assertThat(run.output()).isEqualTo("\u001b[31mred\u001b[0m \\x1b]0;title\\x07\n");

    CommandRun raw = new CommandRun(cluster).onTerminal();
    raw.run("job", "logs", "3", "--stdout", "--raw");
    assertThat(raw.output()).isEqualTo("\u001b[31mred\u001b[0m \u001b]0;title\u0007\n");
  }

  @Test
  void longNamesAndRemarksAreCutOnlyOnATerminalThatIsTooNarrow() {
    String name = "report-" + "x".repeat(60);
    String remark = "exit code 3: " + "y".repeat(60);
    cluster.answering(
        "GET /v1/jobs?limit=50",
        new JobPage(List.of(Samples.job(17, name, JobState.FAILED, 3, null, remark)), null));

    assertThat(listed(new CommandRun(cluster))).contains(name, remark);
    assertThat(listed(new CommandRun(cluster).onTerminal().with("COLUMNS", "400")))
        .contains(name, remark);
    assertThat(listed(new CommandRun(cluster).onTerminal().with("COLUMNS", "80")))
        .doesNotContain(name, remark)
        .contains("…");
    assertThat(listed(new CommandRun(cluster).onTerminal().with("COLUMNS", "wide")))
        .doesNotContain(name, remark)
        .contains("…");
  }

  private static String listed(CommandRun list) {
    assertThat(list.run("job", "list")).isZero();
    return list.output();
  }

  @Test
  void theOptionSearchIsTheSameAsTheWords() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));

    run.run("job", "list", "--search", " exit:7  -state:failed ");
    assertThat(cluster.asked()).last().asString().contains("search=exit%3A7%20-state%3Afailed&");
    run.run("job", "list", "tag:nightly", "--search", "exit:7");
    assertThat(cluster.asked()).last().asString().contains("search=tag%3Anightly%20exit%3A7&");
  }
}
