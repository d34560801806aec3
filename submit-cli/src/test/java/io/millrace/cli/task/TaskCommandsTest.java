package io.millrace.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.api.task.TaskRunView.TaskRunDetails.FailedChunk;
import io.millrace.api.task.TaskView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskCommandsTest {
  private static final Instant NOW = CommandRun.NOW;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsScheduleNextTimeAndLastRun() {
    cluster.answering(
        "GET /v1/tasks", List.of(task(false, null, run(16, RunState.FAILED, "2 chunks failed"))));

    assertThat(run.run("task", "list")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            NAME     STATE  SCHEDULE        NEXT IN  LAST    AGO    TOOK
            nightly  idle   every day at 2   14h00m  failed  10h  30m00s
            """);
  }

  @Test
  void aTaskIsShownWithItsDescription() {
    cluster.answering("GET /v1/tasks/nightly", task(false, null, null));

    assertThat(run.run("task", "show", "nightly")).isZero();

    assertThat(run.output()).containsPattern("about +copies the books");
  }

  @Test
  void nextTimesArePrintedOnePerLineForScripts() {
    cluster.answering(
        "GET /v1/tasks/nightly/next?count=2",
        new SchedulePreview("every day at 2", List.of(NOW, NOW.plusSeconds(60))));

    assertThat(run.run("task", "next", "nightly", "--count", "2")).isZero();

    assertThat(run.output()).isEqualTo("2026-03-01T12:00:00Z\n2026-03-01T12:01:00Z\n");
    assertThat(run.messages()).contains("every day at 2");
  }

  @Test
  void waitingForARunExitsWithZeroOnlyIfItSucceeded() {
    cluster.answering("POST /v1/tasks/nightly/run", run(17, RunState.RUNNING, null));
    cluster.answering(
        "GET /v1/task-runs/17/wait",
        new TaskRunDetails(run(17, RunState.SUCCEEDED, null), List.of()));
    assertThat(run.run("task", "run", "nightly", "--wait")).isZero();

    cluster.answering(
        "GET /v1/task-runs/17/wait",
        new TaskRunDetails(
            run(17, RunState.FAILED, "1 of 3 chunks failed"),
            List.of(new FailedChunk(1, "b", 99L, "exit code 3"))));
    assertThat(run.run("task", "run", "nightly", "--wait")).isEqualTo(1);
    assertThat(run.output()).contains("run 17 of nightly failed: 1 of 3 chunks failed");
    assertThat(run.messages()).contains("b (job 99): exit code 3");
  }

  @Test
  void errorsOfTheCommandHaveOtherExitCodesThanRuns() {
    cluster.refusing("POST /v1/tasks/nightly/run", ErrorCode.UNKNOWN_TASK, "no task 'nightly'");

    assertThat(run.run("task", "run", "nightly", "--wait")).isEqualTo(121);
    assertThat(run.run("task", "run", "nightly")).isEqualTo(3);
  }

  @Test
  void failedWorkIsRerun() {
    cluster.answering(
        "GET /v1/tasks/nightly", task(false, null, run(16, RunState.FAILED, "2 chunks failed")));
    cluster.answering("POST /v1/task-runs/16/retry", run(16, RunState.RUNNING, null));

    assertThat(run.run("task", "run", "nightly", "--failed")).isZero();

    assertThat(cluster.asked()).contains("POST /v1/task-runs/16/retry");
  }

  @Test
  void withoutAFailureNothingIsRerun() {
    cluster.answering(
        "GET /v1/tasks/nightly", task(false, null, run(16, RunState.SUCCEEDED, null)));

    assertThat(run.run("task", "run", "nightly", "--failed")).isEqualTo(6);
    assertThat(run.messages()).contains("the last run of nightly is in state succeeded");
  }

  @Test
  void stopStopsTheCurrentRun() {
    cluster.answering("GET /v1/tasks/nightly", task(false, run(17, RunState.RUNNING, null), null));
    cluster.answering("POST /v1/task-runs/17/stop", run(17, RunState.RUNNING, null));

    assertThat(run.run("task", "stop", "nightly")).isZero();

    assertThat(run.output()).isEqualTo("stopping run 17 of nightly\n");
  }

  @Test
  void theOutputsOfARunBeginWithThoseThatFailed() {
    String jobs = "GET /v1/jobs?search=run%3A16%20kind%3Asubmitted%20";
    cluster
        .answering("GET /v1/tasks/nightly", task(false, null, run(16, RunState.FAILED, "1 failed")))
        .answering(
            jobs + "state%3Afailed&limit=2",
            new JobPage(List.of(Samples.job(9, "nightly b", JobState.FAILED, 3)), null))
        .answering(
            jobs + "-state%3Afailed&limit=1",
            new JobPage(List.of(Samples.job(10, "nightly c", JobState.SUCCEEDED, 0)), 10L))
        .writing("GET /v1/jobs/9/logs?attempt=1&stream=stdout", "broken\n")
        .writing("GET /v1/jobs/9/logs?attempt=1&stream=stderr", "")
        .writing("GET /v1/jobs/10/logs?attempt=1&stream=stdout", "fine\n")
        .writing("GET /v1/jobs/10/logs?attempt=1&stream=stderr", "");

    assertThat(run.run("task", "logs", "nightly", "--limit", "2")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            == nightly b 9.1 on e1, failed (exit code 3), 9s ago ==
            broken
            == nightly c 10.1 on e1, succeeded, 9s ago ==
            fine
            """);
    assertThat(run.messages()).contains("only 2 jobs are shown", "millrace job list run:16");
  }

  @Test
  void theRunOfAnotherTaskIsRefused() {
    cluster.answering(
        "GET /v1/task-runs/17", new TaskRunDetails(run(17, RunState.FAILED, null), List.of()));

    assertThat(run.run("task", "logs", "weekly", "--run", "17")).isEqualTo(3);

    assertThat(run.messages()).contains("run 17 is a run of nightly, not of weekly");
  }

  @Test
  void aPauseCanHaveADuration() {
    cluster.answering("POST /v1/tasks/nightly/pause", task(true, null, null));

    assertThat(run.run("task", "pause", "nightly", "--for", "2h", "--reason", "moving")).isZero();

    assertThat(Json.read(cluster.last().body(), TaskPause.class))
        .isEqualTo(new TaskPause("moving", Duration.ofHours(2)));
    assertThat(run.output()).isEqualTo("task nightly: paused by ann: moving\n");
  }

  @Test
  void aRunMayHaveVariablesAndArguments() {
    cluster.answering("POST /v1/tasks/nightly/run", run(17, RunState.RUNNING, null));
    assertThat(
            run.run(
                "task", "run", "nightly", "--env", "DAY=a=b", "--arg", "--full", "--arg", "x y"))
        .isZero();
    assertThat(Json.read(cluster.last().body(), RunParameters.class))
        .isEqualTo(new RunParameters(Map.of("DAY", "a=b"), List.of("--full", "x y")));
    assertThat(run.run("task", "run", "nightly", "--failed", "--arg", "x")).isEqualTo(2);
    assertThat(run.run("task", "run", "nightly", "--env", "MILLRACE_X=1")).isEqualTo(2);
    assertThat(run.messages()).contains("names that begin with MILLRACE_");
  }

  @Test
  void theNumberOfARunCanBePastedIntoACommand() {
    cluster.answering(
        "GET /v1/tasks/nightly/runs?limit=20", List.of(run(12_345, RunState.SUCCEEDED, null)));
    run.run("task", "history", "nightly");
    assertThat(run.output()).containsPattern("(?m)^ *12345 ").doesNotContain("12,345");
  }

  @Test
  void historyIncludesMissedRuns() {
    cluster.answering(
        "GET /v1/tasks/nightly/runs?limit=20",
        List.of(
            run(17, RunState.SUCCEEDED, null),
            new TaskRunView(
                16,
                "nightly",
                1,
                RunCause.SCHEDULE,
                NOW,
                null,
                NOW,
                RunState.MISSED,
                "its time passed",
                null,
                0,
                0,
                0,
                0,
                null,
                NOW.minusSeconds(3600),
                12)));

    assertThat(run.run("task", "history", "nightly")).isZero();

    assertThat(run.output())
        .contains(
            "succeeded", "missed", "its time passed", "3 of 3 done", "12 planned times", "JOB");
  }

  /** A failed run that somebody started for a day, with an argument. */
  private static TaskRunView given(String reason, String argument) {
    return new TaskRunView(
        17,
        "nightly",
        1,
        RunCause.MANUAL,
        NOW,
        NOW.minusSeconds(10),
        NOW,
        RunState.FAILED,
        reason,
        "ann",
        1,
        0,
        1,
        0,
        5L,
        null,
        1,
        new RunParameters(Map.of("DAY", "2026-03-01"), List.of(argument)),
        null);
  }

  @Test
  void whatWasGivenToARunIsWholeInTheLastColumnAlsoOnATerminal() {
    String text = "x".repeat(100);
    TaskRunView given = given("2 chunks failed", text);
    cluster.answering("GET /v1/tasks/nightly/runs?limit=20", List.of(given));

    run.onTerminal().run("task", "history", "nightly");

    assertThat(run.output().lines().skip(1))
        .singleElement()
        .asString()
        .endsWith("2 chunks failed  manual by ann, with DAY=2026-03-01 " + text);
  }

  @Test
  void historySumsUpTheRunTimesAndNamesWhatWasGivenToARun() {
    TaskRunView ended = run(18, RunState.SUCCEEDED, null);
    TaskRunView given = given(null, "x y");
    cluster.answering("GET /v1/tasks/nightly/runs?limit=20", List.of(ended, given));
    run.run("task", "history", "nightly");
    assertThat(run.output()).contains("manual by ann, with DAY=2026-03-01 'x y'");
    assertThat(run.messages())
        .isEqualTo("run times of 2 runs: shortest 10.0s, median 15m05s, longest 30m00s\n");
  }

  @Test
  void aDryRunOfAnImportPrintsDefinitionsAndAppliesNothing() {
    assertThat(
            run.reading("MAILTO=ops@example.org\n0 2 * * * /usr/bin/backup --all\n")
                .run("task", "import", "-", "--dry-run", "--zone", "Europe/Amsterdam"))
        .isZero();

    assertThat(run.output())
        .contains("kind: task", "0 2 * * *", "Europe/Amsterdam", "/usr/bin/backup --all");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anImportWithAnInvalidLineAppliesNothing() {
    assertThat(run.reading("0 2 * * * true\n99 2 * * * true\n").run("task", "import", "-"))
        .isEqualTo(1);

    assertThat(run.messages()).contains("line 2:").contains("nothing was applied");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anImportAppliesItsTasks() {
    cluster.answering(
        "POST /v1/definitions",
        new io.millrace.api.definition.ApplyRequest.ApplyAnswer(
            false,
            List.of(
                new io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange(
                    "task",
                    "backup",
                    io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction.CREATED,
                    1,
                    List.of()))));

    assertThat(run.reading("0 2 * * * /usr/bin/backup\n").run("task", "import", "-")).isZero();

    ApplyRequest sent = Json.read(cluster.last().body(), ApplyRequest.class);
    assertThat(sent.files().get(0).text()).contains("kind: task", "/usr/bin/backup");
    assertThat(run.output()).isEqualTo("task backup created, version 1\n");
    assertThat(run.messages()).contains("remove these lines from the crontab");
  }

  private static TaskView task(boolean paused, TaskRunView current, TaskRunView last) {
    TaskDefinition definition =
        new TaskDefinition(
            "nightly",
            "copies the books",
            null,
            null,
            JobDraft.command("true").spec(),
            null,
            3,
            null,
            null,
            false,
            null,
            null,
            null,
            null,
            null,
            null);
    return new TaskView(
        definition,
        1,
        new SchedulePreview("every day at 2", List.of(NOW.plus(Duration.ofHours(14)))),
        paused,
        paused ? "ann" : null,
        paused ? "moving" : null,
        null,
        current,
        last);
  }

  private static TaskRunView run(long id, RunState state, String reason) {
    Instant start = NOW.minus(Duration.ofHours(10)).minus(Duration.ofMinutes(30));
    boolean ended = state.ended();
    return new TaskRunView(
        id,
        "nightly",
        1,
        RunCause.SCHEDULE,
        start,
        start,
        ended ? start.plus(Duration.ofMinutes(30)) : null,
        state,
        reason,
        null,
        3,
        3,
        0,
        0,
        5L,
        null,
        1);
  }
}
