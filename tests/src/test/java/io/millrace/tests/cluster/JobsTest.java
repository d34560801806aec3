package io.millrace.tests.cluster;

import static io.millrace.tests.cluster.Jobs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.platform.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The path of a job: submitted, placed, supervised, retried, cancelled. */
class JobsTest {
  private static final int SLOTS = 8;

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, SLOTS);

  @TempDir Path folder;
  private Jobs jobs;

  @BeforeEach
  void connect() {
    jobs = new Jobs(CLUSTER.central(Role.OPERATOR));
  }

  @Test
  void theOutputAndTheSuccessOfAJobAreRecorded() throws IOException {
    JobView job = jobs.run(shell("echo hello; echo aside >&2"));
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(job.exitCode()).isZero();
    assertThat(job.attempt()).isEqualTo(1);
    assertThat(job.owner()).isEqualTo("operator");
    assertThat(jobs.output(job.id(), 0, "stdout")).isEqualTo("hello\n");
    assertThat(jobs.output(job.id(), 0, "stderr")).isEqualTo("aside\n");
  }

  @Test
  void whatAProgramReportsOfItsProgressIsShownWhileItRunsAndAfterItFailed() throws IOException {
    Path go = folder.resolve("go");
    long id =
        jobs.submit(
            shell(
                "printf '1/4 \\033[31mreading\\n' > \"$MILLRACE_PROGRESS\";"
                    + " until [ -e \"$1\" ]; do sleep 0.05; done;"
                    + " printf '3/4' > \"$MILLRACE_PROGRESS\"; exit 3",
                go));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> CLUSTER.central(Role.VIEWER).job(id).job().programProgress() != null);
    ProgramProgress running = CLUSTER.central(Role.VIEWER).job(id).job().programProgress();
    assertThat(running.percent()).isEqualTo(25);
    assertThat(running.message()).isEqualTo("[31mreading");
    assertThat(CLUSTER.central(Role.VIEWER).explain(id).job().programProgress().done())
        .isEqualTo(1);
    Files.writeString(go, "");
    JobView failed = jobs.ended(id);
    assertThat(failed.state()).isEqualTo(JobState.FAILED);
    assertThat(failed.programProgress().percent()).isEqualTo(75);
  }

  @Test
  void anExitCodeIsRecorded() {
    JobView job = jobs.run(shell("exit 7"));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(job.exitCode()).isEqualTo(7);
    assertThat(job.signal()).isNull();
  }

  @Test
  void theSignalThatEndedAJobIsRecorded() {
    JobView job = jobs.run(shell("kill -KILL $$"));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.outcome()).isEqualTo(Outcome.SIGNALLED);
    assertThat(job.signal()).isEqualTo(9);
  }

  @Test
  void aMissingProgramIsReported() {
    JobView job = jobs.run(shell("exec /nowhere/at/all"));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.exitCode()).isEqualTo(127);
  }

  @Test
  void aJobThatExceedsItsTimeoutIsKilledEvenIfItIgnoresSigterm() {
    JobView job =
        jobs.run(shell("trap '' TERM; while :; do sleep 0.1; done").within(Duration.ofMillis(300)));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(job.reason()).isNotBlank();
  }

  @Test
  void aFailedJobIsRetriedInNumberedAttemptsWithAHistory() throws IOException {
    JobView job =
        jobs.run(
            shell(
                    "echo try >> $1/tries; echo $MILLRACE_ATTEMPT; test $(wc -l < $1/tries) -ge 3",
                    folder)
                .retried(5));
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.attempt()).isEqualTo(3);

    JobDetails details = CLUSTER.central().job(job.id());
    assertThat(details.attempts()).extracting(AttemptView::number).containsExactly(1, 2, 3);
    assertThat(details.attempts())
        .extracting(AttemptView::outcome)
        .containsExactly(Outcome.FAILED, Outcome.FAILED, Outcome.SUCCEEDED);
    assertThat(details.history()).extracting(JobEvent::state).contains(JobState.WAITING);
    assertThat(details.history().get(0).state()).isEqualTo(JobState.WAITING);
    assertThat(details.history().get(details.history().size() - 1).state())
        .isEqualTo(JobState.SUCCEEDED);
    assertThat(details.history()).extracting(JobEvent::at).isSorted();
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(jobs.output(job.id(), attempt, "stdout"))
          .isEqualTo(job.id() + "." + attempt + "\n");
    }
  }

  @Test
  void aJobWithoutRemainingRetriesFailsAndCanBeRetriedManually() {
    JobView job = jobs.run(shell("test -e $1/allowed", folder).retried(1));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.attempt()).isEqualTo(2);

    assertThat(folder.resolve("allowed").toFile().mkdir()).isTrue();
    CLUSTER.central(Role.OPERATOR).retry(job.id());
    JobView again = jobs.ended(job.id());
    assertThat(again.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(again.attempt()).isEqualTo(3);
  }

  @Test
  void aCancelledJobEndsWithAllItsProcesses() throws IOException {
    long id = jobs.submit(shell("sleep 600 & echo $! > $1/child; echo $$ > $1/self; wait", folder));
    jobs.reached(id, JobState.RUNNING, 1);
    await().until(() -> Files.exists(folder.resolve("self")));
    CLUSTER.central(Role.OPERATOR).cancel(id);

    JobView job = jobs.ended(id);
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    for (String name : List.of("child", "self")) {
      long pid = Long.parseLong(Files.readString(folder.resolve(name)).strip());
      await(name + " has ended")
          .until(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }
  }

  @Test
  void aCancelledWaitingJobNeverRuns() throws IOException {
    long blocking =
        jobs.submit(shell("while ! test -e $1/go; do sleep 0.05; done", folder).taking(SLOTS));
    jobs.reached(blocking, JobState.RUNNING, 1);
    long waiting = jobs.submit(shell("touch $1/ran", folder).taking(SLOTS));
    CLUSTER.central(Role.OPERATOR).cancel(waiting);
    assertThat(jobs.ended(waiting).state()).isEqualTo(JobState.CANCELLED);
    Files.createFile(folder.resolve("go"));
    jobs.ended(blocking);
    assertThat(folder.resolve("ran")).doesNotExist();
  }

  @Test
  void theHigherPriorityRunsFirstWhenOnlyOneFits() throws IOException {
    long blocking =
        jobs.submit(shell("while ! test -e $1/go; do sleep 0.05; done", folder).taking(SLOTS));
    jobs.reached(blocking, JobState.RUNNING, 1);
    long low = jobs.submit(shell("echo low >> $1/order", folder).taking(SLOTS).priority(-1));
    long ordinary = jobs.submit(shell("echo ordinary >> $1/order", folder).taking(SLOTS));
    long high = jobs.submit(shell("echo high >> $1/order", folder).taking(SLOTS).priority(9));
    Files.createFile(folder.resolve("go"));
    for (long id : List.of(blocking, low, ordinary, high)) {
      assertThat(jobs.ended(id).state()).isEqualTo(JobState.SUCCEEDED);
    }
    assertThat(Files.readAllLines(folder.resolve("order")))
        .containsExactly("high", "ordinary", "low");
  }

  @Test
  void outputIsReadableWhileTheJobRuns() throws IOException {
    long id =
        jobs.submit(
            shell("echo first; while ! test -e $1/go; do sleep 0.05; done; echo last", folder));
    jobs.reached(id, JobState.RUNNING, 1);
    try (BufferedReader log =
        new BufferedReader(
            new InputStreamReader(
                CLUSTER.central(Role.VIEWER).logs(id, 0, "stdout", 0, true),
                StandardCharsets.UTF_8))) {
      assertThat(log.readLine()).isEqualTo("first");
      assertThat(CLUSTER.central().job(id).job().state()).isEqualTo(JobState.RUNNING);
      Files.createFile(folder.resolve("go"));
      assertThat(log.readLine()).isEqualTo("last");
      assertThat(log.readLine()).as("the end of the log").isNull();
    }
  }

  @Test
  void aJobGetsItsEnvironmentAndItsWorkingDirectory() throws IOException {
    JobView job =
        jobs.run(
            shell("echo \"$COLOUR\"; pwd; echo \"$1\"", "an 'argument' with $signs; and spaces")
                .with(Map.of("COLOUR", "deep $blue"))
                .in(folder.toRealPath()));
    assertThat(jobs.output(job.id(), 0, "stdout"))
        .isEqualTo(
            "deep $blue\n" + folder.toRealPath() + "\nan 'argument' with $signs; and spaces\n");
  }

  @Test
  void theReportOfAStaleAttemptIsRefused() throws IOException {
    long id =
        jobs.submit(
            shell(
                    "test -e $1/second || { touch $1/second; exit 1; }; while ! test -e $1/go; do sleep 0.05; done",
                    folder)
                .retried(1));
    jobs.reached(id, JobState.RUNNING, 2);
    ExecutionNodeView node = CLUSTER.central().overview().executionNodes().get(0);

    AttemptId stale = new AttemptId(id, 1);
    AttemptReport report =
        AttemptReport.ended(stale, AttemptResult.of(Outcome.SUCCEEDED, null), 5, 0);
    assertThat(
            CLUSTER.as(node.name()).report(node.id(), new ReportRequest(List.of(report))).refused())
        .containsExactly(stale);
    JobView job = CLUSTER.central().job(id).job();
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(job.attempt()).isEqualTo(2);

    Files.createFile(folder.resolve("go"));
    assertThat(jobs.ended(id).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void anUnknownJobIsNotFound() {
    assertThatThrownBy(() -> CLUSTER.central().job(987_654_321))
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(ErrorCode.UNKNOWN_JOB);
              assertThat(failure).hasMessageContaining("987654321");
            });
  }
}
