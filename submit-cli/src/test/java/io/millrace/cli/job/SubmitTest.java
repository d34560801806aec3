package io.millrace.cli.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubmitTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theIdIsTheOnlyOutputAndTheNextCommandIsAMessage() {
    cluster.answering("POST /v1/jobs", Samples.job(17, "ls", JobState.WAITING, null));
    assertThat(run.run("submit", "--", "ls", "-l")).isZero();
    assertThat(run.output()).isEqualTo("17\n");
    assertThat(run.messages()).contains("millrace job logs -f 17");
  }

  @Test
  void everyOptionReachesTheServerAndTheCommandIsTakenVerbatim() {
    cluster.answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
    run.run(
        "submit",
        "--name",
        "n",
        "--priority",
        "5",
        "--env",
        "A=1",
        "--env",
        "B=x=y",
        "--cwd",
        "/tmp/../var",
        "--slots",
        "2",
        "--timeout",
        "90s",
        "--retries",
        "3",
        "--pool",
        "fast",
        "--",
        "sh",
        "-c",
        "echo $A --wait",
        "--json");
    JobSpec spec = Json.read(cluster.last().body(), JobSpec.class);
    assertThat(spec.command()).containsExactly("sh", "-c", "echo $A --wait", "--json");
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.env()).isEqualTo(Map.of("A", "1", "B", "x=y"));
    assertThat(spec.cwd()).isEqualTo("/var");
    assertThat(spec.slots()).isEqualTo(2);
    assertThat(spec.priority()).isEqualTo(5);
    assertThat(spec.timeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(spec.retry().max()).isEqualTo(3);
    assertThat(spec.pool()).isEqualTo("fast");
  }

  @Test
  void optionsAfterTheProgramBelongToTheProgram() {
    cluster.answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
    run.run("submit", "sleep", "--help");
    assertThat(Json.read(cluster.last().body(), JobSpec.class).command())
        .containsExactly("sleep", "--help");
  }

  @Test
  void waitingShowsBothStreamsAndExitsWithTheExitCodeOfTheJob() {
    submitted(job(JobState.WAITING, null), job(JobState.RUNNING, null));
    cluster
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stdout", "hello\n")
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "oh\n")
        .answering("GET /v1/jobs/17/wait", job(JobState.FAILED, 3));
    assertThat(run.run("submit", "--wait", "--", "sh")).isEqualTo(3);
    assertThat(run.output()).isEqualTo("hello\n");
    assertThat(run.messages()).contains("oh\n").contains("job 17 failed (exit code 3)");
  }

  @Test
  void aRetriedJobShowsTheOutputOfEveryAttempt() {
    submitted(job(JobState.RUNNING, null), attempt(2, JobState.SUCCEEDED, 0));
    cluster
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stdout", "first\n")
        .writing("GET /v1/jobs/17/logs?attempt=2&stream=stdout", "second\n")
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "")
        .writing("GET /v1/jobs/17/logs?attempt=2&stream=stderr", "")
        .answering("GET /v1/jobs/17/wait", attempt(2, JobState.SUCCEEDED, 0));
    assertThat(run.run("submit", "--wait", "--", "sh")).isZero();
    assertThat(run.output()).isEqualTo("first\nsecond\n");
  }

  @Test
  void anAttemptThatHasNotReachedItsNodeIsRequestedAgain() {
    submitted(job(JobState.PLACED, null), job(JobState.RUNNING, null));
    Deque<HttpAnswer> answers =
        new ArrayDeque<>(
            List.of(
                FakeCluster.answer(
                    404,
                    Problem.MEDIA_TYPE,
                    Json.writeBytes(Problem.of(ErrorCode.UNKNOWN_ATTEMPT, "not here"))),
                FakeCluster.answer(200, "text/plain", "late\n".getBytes(UTF_8))));
    cluster
        .when("GET /v1/jobs/17/logs?attempt=1&stream=stdout", call -> answers.poll())
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "")
        .answering("GET /v1/jobs/17/wait", job(JobState.SUCCEEDED, 0));
    assertThat(run.run("submit", "--wait", "--", "sh")).isZero();
    assertThat(run.output()).isEqualTo("late\n");
  }

  @Test
  void aSignalIs128AndItsNumber() {
    submitted(Samples.job(17, "sh", JobState.FAILED, null, 9, null));
    cluster.writing("GET /v1/jobs/17/logs", "");
    cluster.answering(
        "GET /v1/jobs/17/wait", Samples.job(17, "sh", JobState.FAILED, null, 9, null));
    assertThat(run.run("submit", "--wait", "--", "sh")).isEqualTo(137);
  }

  @Test
  void aJobThatNeverStartedIs125() {
    submitted(Samples.job(17, "sh", JobState.CANCELLED, null, null, "cancelled by admin"));
    cluster.writing("GET /v1/jobs/17/logs", "");
    cluster.answering(
        "GET /v1/jobs/17/wait",
        Samples.job(17, "sh", JobState.CANCELLED, null, null, "cancelled by admin"));
    assertThat(run.run("submit", "--wait", "--", "sh")).isEqualTo(125);
    assertThat(run.messages()).contains("cancelled by admin");
  }

  @ParameterizedTest
  @CsvSource({
    "INTERNAL,125",
    "INVALID_REQUEST,120",
    "UNAUTHENTICATED,122",
    "UNAVAILABLE,123",
    "CONFLICT,125"
  })
  void whileWaitingErrorsOfTheCommandHaveOtherExitCodesThanJobs(ErrorCode code, int exit) {
    cluster.refusing("POST /v1/jobs", code, "no");
    assertThat(run.run("submit", "--wait", "--", "sh")).isEqualTo(exit);
  }

  @Test
  void withJsonTheEndedJobIsTheOnlyValueOnStdout() {
    submitted(job(JobState.RUNNING, null));
    cluster
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stdout", "hello\n")
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "")
        .answering("GET /v1/jobs/17/wait", job(JobState.SUCCEEDED, 0));
    run.run("submit", "--wait", "--json", "--", "sh");
    assertThat(run.output()).startsWith("{\"id\":17,").contains("\"state\":\"SUCCEEDED\"");
    assertThat(run.messages()).isEqualTo("hello\n");
  }

  private void submitted(JobView... seen) {
    cluster.answering("POST /v1/jobs", job(JobState.WAITING, null));
    Deque<JobView> left = new ArrayDeque<>(Arrays.asList(seen));
    cluster.when("GET /v1/jobs/17", call -> details(left.size() > 1 ? left.poll() : left.peek()));
  }

  private static HttpAnswer details(JobView job) {
    JobSpec spec = JobDraft.command("sh").spec();
    return FakeCluster.answer(
        200, "application/json", Json.writeBytes(new JobDetails(job, spec, List.of(), List.of())));
  }

  private static JobView job(JobState state, Integer exitCode) {
    return Samples.job(17, "sh", state, exitCode);
  }

  private static JobView attempt(int number, JobState state, Integer exitCode) {
    JobView one = job(state, exitCode);
    return new JobView(
        one.id(),
        one.name(),
        one.kind(),
        one.state(),
        null,
        null,
        one.owner(),
        0,
        one.pool(),
        number,
        one.node(),
        one.outcome(),
        one.exitCode(),
        null,
        null,
        one.submittedAt(),
        null,
        one.startedAt(),
        one.endedAt(),
        "admin",
        null,
        List.of(),
        null,
        null,
        null,
        null,
        null);
  }
}
