package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.manager.job.JobActions.ActionRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunServiceTest {
  @TempDir Path folder;
  private TaskWorld world;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aPlainRunHasOneJobPerInstance() {
    long run = begin("{kind: task, name: t, instances: 3, job: {command: [work]}}");

    assertThat(world.tick(run).workers()).isEqualTo(3);
    assertThat(world.live(run)).hasSize(3);
    assertThat(world.run(run).running()).isEqualTo(3);
    world.live(run).forEach(world::succeed);
    world.tick(run);

    TaskRunView ended = world.run(run);
    assertThat(ended.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(ended.done()).isEqualTo(3);
    assertThat(world.ledger.liveSingle("run:t#" + run))
        .as("its manager is asked to stop")
        .hasValueSatisfying(job -> assertThat(job.id()).isEqualTo(ended.manager()));
  }

  @Test
  void aJobOfATaskWithOneInstanceWaitsForAnyOtherJobOfItsLaneAndItsRunWaitsWithIt() {
    long other = world.ledger.submit("ann", JobDraft.command("repair").lane("task:t").spec()).id();
    long run =
        begin(
            "{kind: task, name: t, job: {command: [work]}, verify: [check], chunks: {range: 1-2}}");
    world.tick(run);
    JobView worker = world.live(run).get(0);
    assertThat(worker.state()).isEqualTo(JobState.BLOCKED);
    assertThat(worker.reason()).contains("lane task:t");
    assertThat(world.tick(run).kind()).isEqualTo(Kind.NOTE);
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);

    world.database.transaction(
        handle -> {
          ActionRequest cancel = new ActionRequest(Verb.CANCEL, null, null, "ann");
          world.ledger.actions().apply(handle, List.of(other), cancel);
          return null;
        });
    assertThat(world.live(run).get(0).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void everyJobOfATaskWithOneInstanceRunsUnderAWatchdogAndOthersDoNot() {
    long run =
        begin(
            "{kind: task, name: t, chunks: {command: [list]}, job: {command: [work]}, verify: [check]}");
    world.printed.add("a");
    List<String> specs = new ArrayList<>();
    for (int i = 0; i < 10 && world.run(run).state() == RunState.RUNNING; i++) {
      world.tick(run);
      world.live(run).forEach(job -> specs.add(world.spec(job)));
      world.live(run).forEach(world::succeed);
    }
    assertThat(specs)
        .hasSize(3)
        .allSatisfy(spec -> assertThat(Json.read(spec, JobSpec.class).exclusive()).isTrue())
        .allSatisfy(spec -> assertThat(spec).contains("\"lane\":\"task:t\""));

    world.apply("{kind: task, name: u, exclusive: false, job: {command: [work]}}");
    long shared = world.service.run("u", RunParameters.NONE, "ann").id();
    world.tick(shared);
    assertThat(Json.read(world.spec(world.live(shared).get(0)), JobSpec.class).exclusive())
        .isFalse();
  }

  @Test
  void aListThatCannotBeReadIsRunAgainElsewhereAndThenFailsTheRunWithTheReason() {
    long run = begin("{kind: task, name: t, chunks: {command: [list]}, job: {command: [work]}}");
    world.unreadable = new MillraceException(ErrorCode.UNKNOWN_ATTEMPT, "no longer kept");
    List<String> specs = new ArrayList<>();
    for (int i = 0; i < 50 && world.run(run).state() == RunState.RUNNING; i++) {
      world.tick(run);
      for (JobView job : world.live(run)) {
        specs.add(world.spec(job));
        world.set(job.id(), "node_name = 'e7'");
        world.succeed(job);
      }
    }
    assertThat(specs).hasSize(3);
    assertThat(Json.read(specs.get(1), JobSpec.class).rank()).isEqualTo("name != \"e7\"");
    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("3 times").contains("no longer kept");
    assertThat(world.problems.all())
        .anySatisfy(alert -> assertThat(alert.code()).isEqualTo("TASK_RUN_FAILED"));

    world.unreadable = null;
    world.printed.addAll(List.of("a", "b"));
    world.service.retry(run);
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(2);
  }

  @Test
  void aListThatWasNotKeptWholeFailsTheRunAtOnceAndABriefSilenceOfItsNodeIsWaitedFor() {
    long run = begin("{kind: task, name: t, chunks: {command: [list]}, job: {command: [work]}}");
    world.tick(run);
    world.succeed(world.live(run).get(0));
    world.unreadable = new MillraceException(ErrorCode.UNREACHABLE, "no answer");
    assertThatThrownBy(() -> world.tick(run)).hasMessage("no answer");
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);

    world.unreadable = new MillraceException(ErrorCode.INVALID_DEFINITION, "entries are missing");
    world.tick(run);
    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("entries are missing");
  }

  @Test
  void aSlowCallDoesNotReplaceTheListThatAnotherCallHasRead() {
    assertThatTheListOfAnotherCallStays(null);
  }

  @Test
  void aSlowCallThatCannotReadTheListDoesNotFailARunThatHasGoneOn() {
    assertThatTheListOfAnotherCallStays(
        new MillraceException(ErrorCode.INVALID_DEFINITION, "entries are missing"));
  }

  private void assertThatTheListOfAnotherCallStays(MillraceException late) {
    long run = begin("{kind: task, name: t, chunks: {command: [list]}, job: {command: [work]}}");
    world.tick(run);
    world.succeed(world.live(run).get(0));
    world.printed.add("late");
    world.unreadable = late;
    world.whileReading =
        () -> {
          world.unreadable = null;
          world.printed.set(0, "current");
          world.tick(run);
          world.tick(run);
        };
    world.tick(run);

    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t current");
    world.tick(run);
    assertThat(world.live(run)).hasSize(1);
  }

  @Test
  void allWorkersOfATaskAreLearntFromAsOneDefinition() {
    long run =
        begin(
            "{kind: task, name: t, instances: 2, chunks: {list: [a, b]}, job: {command: [work]}}");
    world.tick(run);
    List<String> definitions =
        world.database.read(
            handle ->
                handle
                    .createQuery(
                        "select distinct definition from job where owner = 'task:t' and kind = 'SUBMITTED'")
                    .mapTo(String.class)
                    .list());
    assertThat(definitions).containsExactly("task:t/t worker");
  }

  @Test
  void eachWorkerGetsItsChunkInItsCommandAndItsEnvironment() {
    long run =
        begin(
            "{kind: task, name: t, instances: 2, chunks: {list: [north, south, east]},"
                + " job: {command: [poll, '--area={chunk}']}}");
    world.tick(run);

    List<JobView> first = world.live(run);
    assertThat(first).extracting(JobView::name).containsExactly("t north", "t south");
    assertThat(world.spec(first.get(0)))
        .contains("--area=north", "\"MILLRACE_CHUNK\":\"north\"", "\"MILLRACE_TASK\":\"t\"")
        .contains("\"MILLRACE_TASK_PLANNED\":\"" + world.run(run).plannedAt() + "\"");

    world.succeed(first.get(0));
    world.tick(run);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t south", "t east");
    assertThat(world.conduct(run).done()).isEqualTo(3);
  }

  @Test
  void aMillionChunksAreStoredAsACursorAndTheRowsInProgress() {
    long run =
        begin(
            "{kind: task, name: t, instances: 4, chunks: {range: 0-999999},"
                + " job: {command: [work]}}");
    for (int i = 0; i < 10; i++) {
      world.tick(run);
      world.live(run).forEach(world::succeed);
    }
    world.tick(run);

    assertThat(world.run(run).total()).isEqualTo(1_000_000);
    assertThat(world.run(run).done()).isEqualTo(40);
    int rows =
        world.database.read(
            handle ->
                handle.createQuery("select count(*) from task_worker").mapTo(Integer.class).one());
    assertThat(rows).isEqualTo(4);
  }

  @Test
  void chunksPrintedByACommandAreProcessed() {
    world.printed.addAll(List.of("a", "b", "c"));
    long run =
        begin(
            "{kind: task, name: t, instances: 9, chunks: {command: [list]},"
                + " job: {command: [work, '{chunk}']}}");

    assertThat(world.tick(run).kind()).isEqualTo(Kind.LIST);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t list");
    world.live(run).forEach(world::succeed);
    assertThat(world.tick(run).kind()).isEqualTo(Kind.READ_CHUNKS);
    assertThat(world.tick(run).workers()).isEqualTo(3);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t a", "t b", "t c");
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aFailedChunkIsListedAndRepeatedOnRequest() {
    long run =
        begin(
            "{kind: task, name: t, instances: 9, chunks: {list: [a, b, c]},"
                + " job: {command: [work]}}");
    world.tick(run);
    List<JobView> workers = world.live(run);
    world.succeed(workers.get(0));
    world.fail(workers.get(1));
    world.succeed(workers.get(2));
    world.tick(run);

    TaskRunDetails failed = world.views.details(run);
    assertThat(failed.run().state()).isEqualTo(RunState.FAILED);
    assertThat(failed.run().reason()).contains("1 of 3 chunks failed");
    assertThat(failed.failedChunks())
        .singleElement()
        .satisfies(
            chunk -> {
              assertThat(chunk.chunk()).isEqualTo("b");
              assertThat(chunk.job()).isEqualTo(workers.get(1).id());
            });
    assertThat(world.problems.all())
        .anySatisfy(alert -> assertThat(alert.code()).isEqualTo("TASK_RUN_FAILED"));

    world.service.retry(run);
    world.tick(run);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t b");
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(3);
    assertThat(world.views.details(run).failedChunks()).isEmpty();
    assertThat(world.problems.all()).isEmpty();
  }

  @Test
  void unknownWorkEndsWhenAWorkerFindsNothing() {
    long run =
        begin("{kind: task, name: t, instances: 2, untilDone: true, job: {command: [work]}}");
    for (int i = 0; i < 3; i++) {
      world.tick(run);
      assertThat(world.live(run)).hasSize(2);
      world.live(run).forEach(world::succeed);
    }
    world.tick(run);
    world.end(world.live(run).get(0).id(), "SUCCEEDED", "IDLE", 1);
    world.tick(run);
    assertThat(world.live(run)).hasSize(1);
    world.live(run).forEach(world::succeed);
    world.tick(run);

    assertThat(world.run(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(8);
  }

  @Test
  void theVerificationRunsAfterTheWork() {
    long run = begin("{kind: task, name: t, verify: [check], job: {command: [work]}}");
    world.tick(run);
    world.live(run).forEach(world::succeed);
    world.tick(run);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t verify");
    world.live(run).forEach(world::fail);
    world.tick(run);

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("verifies");
  }

  @Test
  void aManagerThatWasReplacedDoesNothing() {
    long run = begin("{kind: task, name: t, job: {command: [work]}}");
    AttemptId old = world.manager(run);
    world.set(old.job(), "attempt_number = 2");

    assertThatThrownBy(() -> world.runs.step(run, new RunStep(old, Kind.WORK, 1, null, null)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
    assertThat(world.live(run)).isEmpty();
  }

  @Test
  void aSuccessorContinuesWhereTheLostManagerStopped() {
    long run =
        begin("{kind: task, name: t, instances: 2, chunks: {range: 1-5}, job: {command: [work]}}");
    world.tick(run);
    world.live(run).forEach(world::succeed);
    world.set(world.run(run).manager(), "attempt_number = 2");

    assertThat(world.conduct(run).done()).isEqualTo(5);
  }

  @Test
  void atMostTheInstancesAreStartedWhateverTheManagerRequests() {
    long run =
        begin("{kind: task, name: t, instances: 2, chunks: {range: 1-50}, job: {command: [work]}}");
    AttemptId attempt = world.manager(run);
    world.runs.step(run, new RunStep(attempt, Kind.WORK, 40, null, null));
    world.runs.step(run, new RunStep(attempt, Kind.WORK, 40, null, null));

    assertThat(world.live(run)).hasSize(2);
  }

  @Test
  void aStoppedRunEndsWithItsWorkers() {
    long run =
        begin("{kind: task, name: t, instances: 2, chunks: {range: 1-9}, job: {command: [work]}}");
    world.tick(run);

    world.service.stop(run, "ann");
    world.reaper.scan();

    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.run(run).reason()).isEqualTo("stopped by ann");
    assertThat(world.live(run)).isEmpty();
  }

  @Test
  void aRunThatExceedsItsTimeoutFails() {
    long run = begin("{kind: task, name: t, timeout: 1h, job: {command: [work]}}");
    world.tick(run);
    world.startedBefore(run, Duration.ofHours(2));

    world.reaper.scan();

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("timed out after 1h");
  }

  @Test
  void workLeftAtTheEndOfAWindowIsDoneByTheNextRun() {
    LocalTime now = LocalTime.ofInstant(world.database.now(), ZoneOffset.UTC).withNano(0);
    LocalTime window = now.minusMinutes(10);
    LocalTime end = now.minusMinutes(5);
    long run =
        begin(
            "{kind: task, name: t, instances: 2, chunks: {range: 1-9}, window: {from: '"
                + window
                + "', to: '"
                + end
                + "', atEnd: stop}, job: {command: [work]}}");
    world.tick(run);
    world.succeed(world.live(run).get(0));
    world.startedBefore(run, Duration.ofMinutes(8));
    world.reaper.scan();
    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.run(run).done()).isEqualTo(1);

    long next = world.service.run("t", RunParameters.NONE, "ann").id();
    assertThat(world.conduct(next).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(next).done()).isEqualTo(9);
  }

  @Test
  void aRunningTaskCannotBeStartedManuallyAgain() {
    long run = begin("{kind: task, name: t, job: {command: [work]}}");

    assertThatThrownBy(() -> world.service.run("t", RunParameters.NONE, "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("run " + run + " of t is running");
  }

  @Test
  void theMeasuredTimeOfAChunkIsKeptForTheNextRun() {
    String yaml =
        "{kind: task, name: t, instances: 9, chunks: {range: 1-3}, job: {command: [work]}}";
    long run = begin(yaml);
    world.conduct(run);
    long next = world.service.run("t", RunParameters.NONE, "ann").id();

    assertThat(world.runs.view(next).chunkSeconds()).isBetween(9.0, 11.0);
  }

  private long begin(String yaml) {
    world.apply(yaml);
    return world.service.run("t", RunParameters.NONE, "ann").id();
  }
}
