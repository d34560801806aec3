package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView.TaskPause;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskLaunchingTest {
  private static final String HOURLY =
      "{kind: task, name: hourly, schedule: {every: 1h}, job: {command: ['true']}}";

  // Rare, so that no planned time of its own falls due while a test runs.
  private static final String YEARLY =
      "{kind: task, name: yearly, schedule: {cron: 0 0 1 1 *}, job: {command: ['true']}}";

  // Its overlap rule is always replace.
  private static final String PARTITIONED =
      "{kind: task, name: parted, schedule: {every: 1h}, partition: {discover: [seq, '1', '9']},"
          + " job: {command: [cat]}}";

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
  void nothingIsLaunchedBeforeItsTime() {
    world.apply(HOURLY);

    Duration next = world.launching.launch().orElseThrow();

    assertThat(world.history("hourly")).isEmpty();
    assertThat(next).isPositive().isLessThanOrEqualTo(Duration.ofHours(1));
  }

  @Test
  void aDueRunIsLaunchedOnceWithItsOwnTaskManager() {
    world.apply(YEARLY);
    world.launching.launch();
    world.due("yearly", Duration.ofSeconds(1));

    world.launching.launch();
    world.launching.launch();

    TaskRunView run = world.history("yearly").get(0);
    assertThat(world.history("yearly")).hasSize(1);
    assertThat(run.state()).isEqualTo(RunState.RUNNING);
    assertThat(run.cause()).isEqualTo(RunCause.SCHEDULE);
    assertThat(world.ledger.liveManagers())
        .singleElement()
        .satisfies(
            manager -> {
              assertThat(manager.id()).isEqualTo(run.manager());
              assertThat(manager.name()).isEqualTo("run:yearly#" + run.id());
            });
  }

  @Test
  void threeInstancesAtOnceLaunchEachPlannedTimeOnce() throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      names.add("t" + i);
      world.apply(YEARLY.replace("yearly", "t" + i));
    }
    world.launching.launch();
    ExecutorService instances = Executors.newFixedThreadPool(3);
    try {
      for (int round = 0; round < 10; round++) {
        Instant planned = world.database.now().truncatedTo(ChronoUnit.SECONDS).minusSeconds(1);
        Instant distinct = planned.plusMillis(round);
        names.forEach(name -> world.plan(name, distinct));
        List<Future<?>> rounds = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          TaskLaunching instance = world.anotherLaunching();
          rounds.add(instances.submit(instance::launch));
        }
        for (Future<?> one : rounds) {
          one.get();
        }
      }
    } finally {
      instances.shutdownNow();
    }

    for (String name : names) {
      List<TaskRunView> history = world.history(name);
      // The first one lasts, so the others are skipped, each recorded.
      assertThat(history).hasSize(10);
      assertThat(history.stream().map(TaskRunView::plannedAt).distinct()).hasSize(10);
      assertThat(history.stream().filter(run -> run.state() == RunState.RUNNING)).hasSize(1);
      assertThat(history.stream().filter(run -> run.state() == RunState.SKIPPED)).hasSize(9);
    }
    assertThat(world.ledger.liveManagers()).hasSize(20);
  }

  @Test
  void timesMissedDuringAnOutageAreRecordedAndTheLastOneRuns() {
    world.apply(HOURLY);
    world.launching.launch();
    Instant hour = world.database.now().truncatedTo(ChronoUnit.HOURS);
    world.plan("hourly", hour.minus(Duration.ofHours(4)));

    world.launching.launch();

    List<TaskRunView> history = world.history("hourly");
    assertThat(history)
        .filteredOn(run -> run.state() == RunState.MISSED)
        .extracting(TaskRunView::plannedAt)
        .contains(hour.minus(Duration.ofHours(4)), hour.minus(Duration.ofHours(2)));
    assertThat(history)
        .filteredOn(run -> run.state() == RunState.RUNNING)
        .singleElement()
        .satisfies(run -> assertThat(run.plannedAt()).isEqualTo(hour));
    assertThat(world.problems.all())
        .anySatisfy(alert -> assertThat(alert.code()).isEqualTo("TASK_RUNS_MISSED"));
  }

  @Test
  void aChangedDefinitionMovesTheNextTimeButNotTheRunningVersion() {
    world.apply(HOURLY);
    world.launching.launch();
    world.due("hourly", Duration.ofSeconds(1));
    world.launching.launch();
    long run = world.history("hourly").get(0).id();

    world.apply(HOURLY.replace("1h", "2h").replace("'true'", "'false'"));
    world.launching.launch();

    assertThat(world.run(run).version()).isEqualTo(1);
    assertThat(world.runs.view(run).definition().job().command()).containsExactly("true");
    assertThat(world.views.view("hourly").version()).isEqualTo(2);
    SchedulePreview next = world.views.next("hourly", 3);
    assertThat(Duration.between(next.next().get(0), next.next().get(1))).hasHours(2);
  }

  @Test
  void aPausedTaskStartsNothingUntilItIsResumed() {
    world.apply(YEARLY);
    world.service.pause("yearly", new TaskPause("the disk is full", null), "ann");
    world.due("yearly", Duration.ofSeconds(1));
    world.launching.launch();

    assertThat(world.history("yearly")).isEmpty();
    assertThat(world.views.view("yearly").paused()).isTrue();
    assertThat(world.views.view("yearly").pauseReason()).isEqualTo("the disk is full");

    world.service.resume("yearly");
    world.launching.launch();
    assertThat(world.history("yearly"))
        .extracting(TaskRunView::state)
        .containsOnly(RunState.MISSED);
    world.due("yearly", Duration.ofSeconds(1));
    world.launching.launch();
    assertThat(world.history("yearly").get(0).state()).isEqualTo(RunState.RUNNING);
  }

  @Test
  void timesThatPassDuringAPauseAreOneGrowingRecordWithoutAnAlert() {
    world.apply(HOURLY);
    world.service.pause("hourly", new TaskPause("the disk is full", null), "ann");
    Instant hour = world.database.now().truncatedTo(ChronoUnit.HOURS);
    world.plan("hourly", hour.minus(Duration.ofHours(5)));
    world.launching.launch();
    TaskRunView early = world.history("hourly").get(0);
    assertThat(early.state()).isEqualTo(RunState.MISSED);
    assertThat(early.reason())
        .startsWith("paused by ann: the disk is full; " + early.plannedTimes() + " planned times");

    world.plan("hourly", hour.minusMillis(1));
    world.service.resume("hourly");

    assertThat(world.history("hourly"))
        .singleElement()
        .satisfies(
            run -> {
              assertThat(run.id()).isEqualTo(early.id());
              assertThat(run.plannedFrom()).isEqualTo(hour.minus(Duration.ofHours(5)));
              assertThat(run.plannedTimes()).isGreaterThan(early.plannedTimes());
            });
    assertThat(world.problems.all()).isEmpty();
  }

  @Test
  void aSecondPauseHasItsOwnRecord() {
    world.apply(YEARLY);
    for (int pause = 2; pause > 0; pause--) {
      world.service.pause("yearly", new TaskPause(null, null), "ann");
      world.due("yearly", Duration.ofMinutes(pause));
      world.service.resume("yearly");
    }

    assertThat(world.history("yearly"))
        .extracting(TaskRunView::reason)
        .hasSizeGreaterThanOrEqualTo(2)
        .allMatch(reason -> reason.contains("paused by ann"));
  }

  @Test
  void runsDueBeforeAPauseAreLaunched() {
    world.apply(YEARLY);
    world.launching.launch();
    world.due("yearly", Duration.ofSeconds(1));

    world.service.pause("yearly", new TaskPause(null, null), "ann");

    assertThat(world.history("yearly"))
        .extracting(TaskRunView::state)
        .containsExactly(RunState.RUNNING);
  }

  @Test
  void aScheduleChangedDuringAPauseKeepsItsRecord() {
    world.apply(YEARLY.replace("1 1 *", "1 1 *, catchUpPauses: true"));
    world.service.pause("yearly", new TaskPause(null, null), "ann");
    world.due("yearly", Duration.ofMinutes(5));

    world.apply(YEARLY.replace("1 1 *", "2 1 *"));
    world.launching.launch();

    assertThat(world.history("yearly"))
        .singleElement()
        .satisfies(run -> assertThat(run.reason()).startsWith("paused by ann"));
    assertThat(world.views.view("yearly").paused()).isTrue();
  }

  @Test
  void aTaskThatCatchesUpPausesRunsWhenResumed() {
    world.apply(HOURLY.replace("every: 1h", "every: 1h, catchUp: last, catchUpPauses: true"));
    world.service.pause("hourly", new TaskPause(null, null), "ann");
    Instant hour = world.database.now().truncatedTo(ChronoUnit.HOURS);
    world.plan("hourly", hour.minus(Duration.ofHours(3)));
    world.launching.launch();
    assertThat(world.history("hourly")).isEmpty();

    world.service.resume("hourly");

    List<TaskRunView> history = world.history("hourly");
    assertThat(history)
        .filteredOn(run -> run.state() == RunState.RUNNING)
        .singleElement()
        .satisfies(run -> assertThat(run.plannedAt()).isEqualTo(hour));
    assertThat(history)
        .filteredOn(run -> run.state() == RunState.MISSED)
        .hasSize(3)
        .allSatisfy(run -> assertThat(run.reason()).startsWith("paused by ann, until "));
    assertThat(world.problems.all()).isEmpty();
  }

  @Test
  void aCaughtUpTimeWaitsForItsWindowUnlessTheTaskIsRunManually() {
    world.apply(
        HOURLY.replace("every: 1h}", "every: 10m, catchUp: all, catchUpLimit: 1}, " + closed()));
    world.launching.launch();
    world.due("hourly", Duration.ofHours(3));

    world.launching.launch();
    world.reaper.scan();

    TaskRunView waiting = world.history("hourly").get(0);
    assertThat(waiting.state()).isEqualTo(RunState.QUEUED);
    assertThat(waiting.cause()).isEqualTo(RunCause.CATCH_UP);
    assertThat(waiting.reason()).contains("its window had ended", "waiting until");
    TaskRunView byHand = world.service.run("hourly", RunParameters.NONE, "ann");
    assertThat(byHand.state()).isEqualTo(RunState.RUNNING);
    assertThat(byHand.reason()).isNull();

    world.conduct(byHand.id());
    world.reaper.scan();
    assertThat(world.run(waiting.id()).state()).isEqualTo(RunState.QUEUED);
    world.apply(HOURLY);
    world.launching.launch();
    world.reaper.scan();
    assertThat(world.run(waiting.id()).state())
        .as("the version of the run counts, not the one in force")
        .isEqualTo(RunState.QUEUED);
  }

  @Test
  void withNoneARunThatWaitedBeyondItsWindowIsMissed() {
    world.apply(
        HOURLY.replace("every: 1h}", "every: 10m, overlap: queue, catchUp: none}, " + closed()));
    world.launching.launch();
    long running = world.service.run("hourly", RunParameters.NONE, "ann").id();
    long queued = world.queue("hourly");

    world.conduct(running);
    world.reaper.scan();

    assertThat(world.run(queued).state()).isEqualTo(RunState.MISSED);
    assertThat(world.run(queued).reason())
        .isEqualTo("its window ended before the previous run did");
  }

  /** A window of an hour that was open three hours ago. */
  private String closed() {
    LocalTime from =
        LocalTime.ofInstant(world.database.now(), ZoneOffset.UTC)
            .minusHours(3)
            .truncatedTo(ChronoUnit.MINUTES);
    return "window: {from: '%s', to: '%s'}".formatted(from, from.plusHours(1));
  }

  @Test
  void aPauseWithAnEndEndsAutomatically() {
    world.apply(YEARLY);
    world.service.pause("yearly", new TaskPause(null, Duration.ofMillis(1)), "ann");

    world.launching.launch();

    assertThat(world.views.view("yearly").paused()).isFalse();
  }

  @Test
  void aQueuedRunStartsWhenThePreviousOneHasEnded() {
    world.apply(YEARLY.replace("1 1 *", "1 1 *, overlap: queue"));
    world.launching.launch();
    world.due("yearly", Duration.ofSeconds(2));
    world.launching.launch();
    world.due("yearly", Duration.ofSeconds(1));
    world.launching.launch();

    List<TaskRunView> both = world.history("yearly");
    assertThat(both)
        .extracting(TaskRunView::state)
        .containsExactly(RunState.QUEUED, RunState.RUNNING);

    assertThat(world.conduct(both.get(1).id()).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(both.get(0).id()).state()).isEqualTo(RunState.RUNNING);
  }

  @Test
  void aReplacedRunIsStoppedBeforeTheNextOneStarts() {
    world.apply(YEARLY.replace("1 1 *", "1 1 *, overlap: replace"));
    world.launching.launch();
    world.due("yearly", Duration.ofSeconds(2));
    world.launching.launch();
    long first = world.history("yearly").get(0).id();
    world.tick(first);
    assertThat(world.live(first)).hasSize(1);

    world.due("yearly", Duration.ofSeconds(1));
    world.launching.launch();
    assertThat(world.live(first)).isEmpty();
    world.reaper.scan();

    assertThat(world.history("yearly"))
        .extracting(TaskRunView::state)
        .containsExactly(RunState.RUNNING, RunState.STOPPED);
    assertThat(world.run(first).reason())
        .isEqualTo("replaced by the run planned for " + world.history("yearly").get(0).plannedAt());
  }

  @Test
  void aManualRunOfAPartitionedTaskIsStoppedAtTheNextIntervalWithTheReason() {
    world.apply(PARTITIONED);
    world.launching.launch();
    long byHand = world.service.run("parted", RunParameters.NONE, "ann").id();
    world.due("parted", Duration.ofSeconds(1));
    world.launching.launch();
    world.reaper.scan();

    TaskRunView planned = world.history("parted").get(0);
    assertThat(planned.state()).isEqualTo(RunState.RUNNING);
    assertThat(world.run(byHand).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.run(byHand).reason())
        .isEqualTo("replaced by the run planned for " + planned.plannedAt());
  }

  @Test
  void aManuallyReplacedRunNamesTheUser() {
    world.apply(PARTITIONED);
    long first = world.service.run("parted", RunParameters.NONE, "ann").id();
    world.service.run("parted", RunParameters.NONE, "ben");
    world.reaper.scan();

    assertThat(world.run(first).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.run(first).reason()).isEqualTo("replaced by a run started by ben");
  }

  @Test
  void aPerpetualTaskPausesShortlyAfterWorkAndLongAfterNone() {
    world.apply(
        "{kind: task, name: mail, schedule: {perpetual: {afterWork: 1s, afterNothing: 10m}},"
            + " job: {command: ['true']}}");
    world.launching.launch();
    long first = world.history("mail").get(0).id();
    world.conduct(first);
    Duration afterWork = world.launching.launch().orElseThrow();
    assertThat(afterWork).isLessThanOrEqualTo(Duration.ofSeconds(1));

    world.due("mail", Duration.ZERO);
    world.launching.launch();
    long second = world.history("mail").get(0).id();
    assertThat(second).isNotEqualTo(first);
    world.tick(second);
    world.live(second).forEach(job -> world.end(job.id(), "SUCCEEDED", "IDLE", 1));
    world.tick(second);

    assertThat(world.run(second).reason()).isEqualTo("found nothing to do");
    assertThat(world.launching.launch().orElseThrow()).isGreaterThan(Duration.ofMinutes(9));
  }
}
