package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.manager.notification.DuePosition;
import io.millrace.manager.notification.NoticeText;
import io.millrace.manager.notification.SubjectNoticeDao;
import io.millrace.manager.notification.SubjectNoticeDao.NoticeSubject;
import io.millrace.manager.notification.SubjectNoticeDao.SubjectNotice;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunNoticesTest {
  private static final String HOOK = "notify: {webhook: 'https://example.org/hook', on: [%s]}";

  @TempDir Path folder;
  private TaskWorld world;
  private RunWatch watch;
  private Claim claim;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    ClaimDao claims = new ClaimDao(world.database);
    claim = claims.acquireOrRenew("watch", "c1", Duration.ofMinutes(10)).orElseThrow();
    watch = new RunWatch(world.database, claims, new TaskDefinitions(world.definitions));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aFailedRunIsNotifiedWithItsReason() {
    task("failed");
    long run = started();
    world.tick(run);
    world.live(run).forEach(world::fail);
    while (world.run(run).state() == RunState.RUNNING) {
      world.tick(run);
    }

    assertThat(world.run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(texts())
        .singleElement()
        .satisfies(text -> assertThat(text.occasion()).isEqualTo("FAILED"))
        .satisfies(text -> assertThat(text.name()).isEqualTo("t"))
        .satisfies(text -> assertThat(text.run()).isEqualTo(run))
        .satisfies(text -> assertThat(text.reason()).isEqualTo(world.run(run).reason()));
  }

  @Test
  void aSuccessfulRunNotifiesNobody() {
    task("failed, late, hung");
    world.conduct(started());
    watch.run(claim);
    assertThat(texts()).isEmpty();
  }

  @Test
  void missedTimesAreOneNoticeWithTheirNumber() {
    world.apply(
        "{kind: task, name: t, schedule: {every: 1h}, job: {command: [work]}, "
            + HOOK.formatted("missed")
            + "}");
    world.launching.launch();
    world.due("t", Duration.ofHours(5));
    world.launching.launch();

    long missed = world.history("t").stream().filter(run -> run.state() == RunState.MISSED).count();
    assertThat(missed).isPositive();
    assertThat(texts())
        .singleElement()
        .satisfies(text -> assertThat(text.occasion()).isEqualTo("MISSED"))
        .satisfies(text -> assertThat(text.count()).isGreaterThanOrEqualTo(missed));
  }

  @Test
  void aRunThatTakesTooLongIsNotifiedOnce() {
    world.apply(
        "{kind: task, name: t, job: {command: [work]}, notify: {webhook: 'https://example.org/hook',"
            + " on: [hung], hungAfter: 10m}}");
    long run = started();
    watch.run(claim);
    assertThat(texts()).isEmpty();

    world.startedBefore(run, Duration.ofMinutes(11));
    watch.run(claim);
    watch.run(claim);
    assertThat(texts())
        .singleElement()
        .satisfies(text -> assertThat(text.occasion()).isEqualTo("HUNG"))
        .satisfies(text -> assertThat(text.reason()).contains("10m"));

    deliverAll();
    another().run(claim);
    assertThat(texts()).as("another central manager has not seen it before").isEmpty();
  }

  @Test
  void aRunThatTakesTooLongIsAProblemUntilItEnds() {
    world.apply("{kind: task, name: t, job: {command: [work]}}");
    long run = started();
    world.startedBefore(run, Duration.ofHours(23));
    assertThat(world.problems.all()).isEmpty();
    world.startedBefore(run, Duration.ofHours(25));
    assertThat(world.problems.all())
        .singleElement()
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("TASK_RUN_HUNG"))
        .satisfies(alert -> assertThat(alert.message()).contains("for more than 1d"));
    world.conduct(run);
    assertThat(world.problems.all()).isEmpty();
  }

  @Test
  void aRunThatWaitsTooLongIsLateUnlessItsTaskIsPaused() {
    world.apply(
        "{kind: task, name: t, job: {command: [work]}, notify: {command: [tell], on: [late],"
            + " lateAfter: 10m}}");
    world.launching.launch();
    long run = world.queue("t");
    watch.run(claim);
    assertThat(texts()).isEmpty();

    sql("update task_run set planned_at = dateadd(minute, -11, planned_at)");
    world.launching.pause("t", new TaskPause("maintenance", null), "ann");
    watch.run(claim);
    assertThat(texts()).as("it waits by request").isEmpty();

    sql("update task_schedule set paused = false");
    watch.run(claim);
    watch.run(claim);
    assertThat(texts())
        .singleElement()
        .satisfies(text -> assertThat(text.occasion()).isEqualTo("LATE"))
        .satisfies(text -> assertThat(text.run()).isEqualTo(run));
  }

  @Test
  void anOccasionThatATaskNeverHasIsRefusedWithTheOthers() {
    assertThatThrownBy(() -> task("dead"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("notify.on (line 1): dead never happens to a task")
        .hasMessageContaining("use failed, late, hung");
    assertThatThrownBy(() -> task("missed"))
        .hasMessageContaining("missed never happens to a task without planned times");
    assertThatThrownBy(
            () ->
                world.apply(
                    "{kind: task, name: t, job: {command: [work]}, notify: {command: [tell],"
                        + " hungAfter: 5m}}"))
        .hasMessageContaining(
            "notify.hungAfter (line 1): has no effect unless notify.on contains hung");
  }

  @Test
  void aBurstIsBoundedAndCounted() {
    task("failed");
    TaskDefinitions tasks = new TaskDefinitions(world.definitions);
    long run = started();
    for (int i = 0; i < 50; i++) {
      Instant at = world.database.now().plusMillis(i);
      world.database.transaction(
          handle -> {
            RunNotices.ended(
                handle,
                tasks.require("t").definition(),
                RunDao.find(handle, run).orElseThrow(),
                RunState.FAILED,
                "exit code 1",
                at);
            return null;
          });
    }
    List<SubjectNotice> due = notices();
    assertThat(due).hasSize(20);
    assertThat(due.stream().mapToLong(SubjectNotice::added).sum()).isEqualTo(30);
  }

  private RunWatch another() {
    return new RunWatch(
        world.database, new ClaimDao(world.database), new TaskDefinitions(world.definitions));
  }

  private void task(String on) {
    world.apply(
        "{kind: task, name: t, job: {command: [work], retry: {max: 0}}, "
            + HOOK.formatted(on)
            + "}");
  }

  private long started() {
    world.launching.launch();
    long run = world.queue("t");
    world.reaper.scan();
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);
    return run;
  }

  private void deliverAll() {
    sql("update subject_notice set state = 'SENT'");
  }

  private List<NoticeText> texts() {
    return notices().stream().map(notice -> Json.read(notice.content(), NoticeText.class)).toList();
  }

  private List<SubjectNotice> notices() {
    Instant later = world.database.now().plus(Duration.ofHours(1));
    return world.database.read(
        handle ->
            SubjectNoticeDao.due(
                handle, EnumSet.allOf(NoticeSubject.class), later, DuePosition.START, 100));
  }

  private void sql(String statement) {
    world.database.transaction(handle -> handle.execute(statement));
  }
}
