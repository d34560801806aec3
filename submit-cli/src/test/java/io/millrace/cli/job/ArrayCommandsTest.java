package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.ElementUsage;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Arrays, and the rest of what is shown of jobs. */
class ArrayCommandsTest {
  private static final ArrayProgress PROGRESS = new ArrayProgress(1000, 668, 20, 309, 3, 0);

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void listShowsArraysWithTheirProgress() {
    JobView array = Samples.array(17, JobState.RUNNING, PROGRESS);
    cluster.answering("GET /v1/jobs", new JobPage(List.of(array), null));
    run.run("job", "list");
    assertThat(run.output()).contains("312 of 1,000 done, 3 failed, 20 running");
  }

  @Test
  void listShowsWhatARunningProgramReportsAndHowLongItWillTake() {
    JobView running =
        Samples.reporting(
            Samples.job(17, "load", JobState.RUNNING, null),
            new ProgramProgress(
                63.7, 255L, 400L, "reading", CommandRun.NOW, CommandRun.NOW.plusSeconds(240)));
    cluster.answering("GET /v1/jobs", new JobPage(List.of(running), null));
    run.run("job", "list");
    assertThat(run.output()).contains("63% (255 of 400), reading, about 4m");
  }

  @Test
  void listShowsThePercentageOfAnArrayWhoseElementsReport() {
    JobView array =
        Samples.reporting(
            Samples.array(17, JobState.RUNNING, PROGRESS),
            new ProgramProgress(31.2, null, null, null, CommandRun.NOW, null));
    cluster.answering("GET /v1/jobs", new JobPage(List.of(array), null));
    run.run("job", "list");
    assertThat(run.output()).contains("31%: 312 of 1,000 done, 3 failed");
  }

  @Test
  void showSaysWhatTheElementsUsedThatSucceededAtOnce() {
    JobView array = Samples.array(17, JobState.RUNNING, PROGRESS);
    JobSpec spec = JobDraft.command("/bin/true").spec();
    ElementUsage used =
        new ElementUsage(305, 300, 7_200_000, 3_600_000, 100L << 20, 512L << 20, 0, 0);
    cluster.answering(
        "GET /v1/jobs/17", new JobDetails(array, spec, List.of(), List.of(), used, null, null));
    run.run("job", "show", "17");
    assertThat(run.output())
        .contains("2h00m of run time by the 305 that succeeded at their first try; CPU 1h00m")
        .contains("memory 100MB on average and at most 512MB");
  }

  @Test
  void searchTermsAreSentTogether() {
    cluster.answering("GET /v1/jobs", new JobPage(List.of(), null));
    run.run("job", "list", "state:failed", "tag:nightly", "report");
    run.run("job", "list", "array:17", "--limit", "1000", "--before", "900");
    run.run("job", "list", "kind:manager");
    run.run("job", "list", "queue:alert", "state:running");
    assertThat(cluster.asked())
        .containsExactly(
            "GET /v1/jobs?search=state%3Afailed%20tag%3Anightly%20report&limit=50",
            "GET /v1/jobs?search=array%3A17&limit=1000&before=900",
            "GET /v1/jobs?search=kind%3Amanager&limit=50",
            "GET /v1/jobs?search=queue%3Aalert%20state%3Arunning&kind=all&limit=50");
    assertThat(run.messages()).contains("no matching jobs");
  }

  @Test
  void elementsCarryTheirIndex() {
    cluster.answering(
        "GET /v1/jobs",
        new JobPage(List.of(Samples.element(23, 17, 3, JobState.RUNNING, null)), null));
    run.run("job", "list", "array:17");
    assertThat(run.output()).contains("23").contains("sweep[3]");
  }

  @Test
  void waitingForSeveralJobsExitsWithTheHighestCode() {
    cluster
        .answering("GET /v1/jobs/3/wait", Samples.job(3, "a", JobState.FAILED, 7))
        .answering("GET /v1/jobs/4/wait", Samples.job(4, "b", JobState.SUCCEEDED, 0))
        .answering("GET /v1/jobs/5/wait", Samples.job(5, "c", JobState.FAILED, 42));
    assertThat(run.run("job", "wait", "3", "4", "5")).isEqualTo(42);
    assertThat(run.messages())
        .isEqualTo("job 3 failed (exit code 7)\njob 4 succeeded\njob 5 failed (exit code 42)\n");
  }

  @Test
  void waitingForAnArrayExitsWithTheHighestCodeOfItsElements() {
    ArrayProgress ended = new ArrayProgress(3, 0, 0, 1, 2, 0);
    cluster
        .answering("GET /v1/jobs/17/wait", Samples.array(17, JobState.FAILED, ended))
        .answering(
            "GET /v1/jobs?search=array%3A17%20state%3Afailed&limit=1000",
            new JobPage(
                List.of(
                    Samples.element(23, 17, 3, JobState.FAILED, 3),
                    Samples.element(22, 17, 2, JobState.FAILED, 9)),
                null));
    assertThat(run.run("job", "wait", "17")).isEqualTo(9);
  }

  @Test
  void submittingAnArrayAndWaitingShowsItsEndWithoutOutput() {
    ArrayProgress none = new ArrayProgress(3, 3, 0, 0, 0, 0);
    ArrayProgress ended = new ArrayProgress(3, 0, 0, 3, 0, 0);
    cluster
        .answering("POST /v1/jobs", Samples.array(17, JobState.WAITING, none))
        .answering("GET /v1/jobs/17/wait", Samples.array(17, JobState.SUCCEEDED, ended));
    assertThat(run.run("submit", "--array", "1-3", "--wait", "--", "true")).isZero();
    assertThat(cluster.asked()).noneMatch(call -> call.contains("/logs"));
  }

  @Test
  void theLogsOfAnArrayAreThoseOfItsElements() {
    cluster
        .refusing("GET /v1/jobs/17/logs", ErrorCode.UNKNOWN_ATTEMPT, "no attempt")
        .answering("GET /v1/jobs/17", details(Samples.array(17, JobState.RUNNING, PROGRESS)))
        .answering(
            "GET /v1/jobs?",
            new JobPage(List.of(Samples.element(23, 17, 3, JobState.RUNNING, null)), null))
        .writing("GET /v1/jobs/23/logs?attempt=0&stream=stdout", "third\n");

    assertThat(run.run("job", "logs", "17")).isEqualTo(2);
    assertThat(run.messages()).contains("17[1]");
    assertThat(run.run("job", "logs", "-f", "17")).isEqualTo(2);
    assertThat(run.run("job", "logs", "--stdout", "17[3]")).isZero();
    assertThat(run.output()).isEqualTo("third\n");
  }

  @Test
  void detailsOfAFailedJobShowWhatItsProgramReportedLast() {
    JobView failed =
        Samples.reporting(
            Samples.job(17, "load", JobState.FAILED, 3),
            new ProgramProgress(
                63.7, 255L, 400L, null, CommandRun.NOW.minusSeconds(9), CommandRun.NOW));
    cluster.answering("GET /v1/jobs/17", details(failed));
    run.run("job", "show", "17");
    assertThat(run.output()).contains("reported    63% (255 of 400) (9s ago)");
  }

  @Test
  void allDetailsOfAJobAreShown() {
    cluster.answering("GET /v1/jobs/17", details(Samples.array(17, JobState.FAILED, PROGRESS)));
    assertThat(run.run("job", "show", "17")).isZero();
    assertThat(run.output())
        .contains("progress    312 of 1,000 done, 3 failed, 20 running")
        .contains("array       1-1000%50")
        .contains("after       12 any")
        .contains("lane        import")
        .contains("needs       2.0 cpus, 512MB memory, gpu=1, licence solver=1")
        .contains("requires    os == 'linux'")
        .contains("retries     3, first after 1s, at most 5m")
        .contains("secrets     KEY")
        .contains("1.5s   300MB  node lost")
        .contains("ended (attempt 2)")
        .doesNotContain("key-file");
  }

  @Test
  void theHistoryIsATimeline() {
    cluster.answering("GET /v1/jobs/17", details(Samples.job(17, "a", JobState.FAILED, 3)));
    assertThat(run.run("job", "history", "17")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            AT                    AFTER  STATE    EVENT
            2026-03-01T11:59:00Z      -  waiting  submitted
            2026-03-01T11:59:30Z  30.0s  failed   ended (attempt 2)
            """);
    CommandRun json = new CommandRun(cluster);
    json.run("job", "history", "17", "--json");
    assertThat(json.output()).startsWith("[{\"at\":\"2026-03-01T11:59:00Z\",\"state\":\"WAITING\"");
  }

  private static JobDetails details(JobView job) {
    JobSpec spec =
        JobDraft.command("step")
            .array(ArrayRange.parse("1-1000%50"))
            .after(List.of(new Dependency(12, Dependency.End.ANY)))
            .lane("import")
            .cpu(2.0)
            .memory("512MB")
            .resources(Map.of("gpu", 1))
            .licences(Map.of("solver", 1))
            .requires("os == 'linux'")
            .secrets(Map.of("KEY", "key-file"))
            .retry(RetryPolicy.upTo(3))
            .spec();
    AttemptView attempt =
        new AttemptView(
            2,
            "e1",
            JobState.FAILED,
            CommandRun.NOW.minusSeconds(40),
            CommandRun.NOW.minusSeconds(39),
            CommandRun.NOW.minusSeconds(30),
            Outcome.FAILED,
            3,
            null,
            null,
            null,
            "node lost",
            new Usage(1500, 300L << 20, 0, 0));
    return new JobDetails(
        job,
        spec,
        List.of(attempt),
        List.of(
            new JobEvent(CommandRun.NOW.minusSeconds(60), JobState.WAITING, 0, "submitted"),
            new JobEvent(CommandRun.NOW.minusSeconds(30), JobState.FAILED, 2, "ended")));
  }
}
