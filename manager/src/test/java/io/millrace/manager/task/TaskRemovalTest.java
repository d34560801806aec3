package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskRemovalTest {
  private static final String REPORT =
      """
      kind: task
      name: report
      schedule: {every: 5m, catchUp: none}
      job:
        command: [make-report]
      """;

  @TempDir Path folder;
  private TaskWorld world;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    world.apply(REPORT);
    world.launching.launch();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void anIdleTaskIsDeletedAtOnceAndKeepsItsHistory() {
    long run = world.service.run("report", RunParameters.NONE, "ann").id();
    world.conduct(run);
    DeletionView done = delete(null);

    assertThat(done.state()).isEqualTo(DeletionState.DELETED);
    assertThat(world.views.all()).isEmpty();
    assertThat(schedules()).isZero();
    assertThat(world.history("report")).hasSize(1);
    assertThat(world.forgotten).containsExactly("task:report/");
    assertThatThrownBy(() -> world.service.run("report", RunParameters.NONE, "ann"))
        .hasMessageContaining("no task 'report' is defined");
    assertThatThrownBy(() -> delete(null)).hasMessageContaining("was deleted by ann");
  }

  @Test
  void aTaskInProgressIsRefusedOrItsRunIsStoppedFirst() {
    long run = world.service.run("report", RunParameters.NONE, "ann").id();
    assertThatThrownBy(() -> delete(null))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("run " + run + " of task report is running")
        .hasMessageContaining("--stop");
    DeletionRequest trial = new DeletionRequest(DeletionMode.STOP, true);
    assertThat(world.deletions.delete("task", "report", trial, "ann").work())
        .containsExactly("run " + run + ", running");
    assertThat(delete(DeletionMode.STOP).state()).isEqualTo(DeletionState.ENDING);

    world.due("report", Duration.ofSeconds(5));
    world.launching.launch();
    assertThatThrownBy(() -> world.service.run("report", RunParameters.NONE, "ann"))
        .hasMessageContaining("is being deleted");
    assertThatThrownBy(() -> world.service.resume("report"))
        .hasMessageContaining("is being deleted");
    assertThatThrownBy(() -> world.apply(REPORT)).hasMessageContaining("is being deleted");
    world.deletions.advance();
    assertThat(world.views.all()).hasSize(1);

    world.reaper.scan();
    world.deletions.advance();
    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    assertThat(world.views.all()).isEmpty();
    assertThat(schedules()).isZero();
    assertThat(world.history("report"))
        .noneMatch(one -> one.state() == RunState.RUNNING || one.state() == RunState.QUEUED);
  }

  @Test
  void aStepOfARunThatEndedWithItsTaskIsRefusedAsStale() {
    long run = world.service.run("report", RunParameters.NONE, "ann").id();
    RunStep step = world.tick(run);
    delete(DeletionMode.STOP);
    for (int i = 0; i < 3; i++) {
      world.live(run).forEach(world::fail);
      world.reaper.scan();
      world.deletions.advance();
    }
    assertThat(world.views.all()).isEmpty();
    assertThatThrownBy(() -> world.runs.step(run, step))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
  }

  @Test
  void aDeletedTaskIsNotLaunchedAgainByAnInstanceThatHadReadIt() {
    delete(null);
    world.launching.launch();
    assertThat(schedules()).isZero();
    assertThatThrownBy(() -> world.history("report")).hasMessageContaining("no task 'report'");
  }

  @Test
  void aTaskThatWasNeverLaunchedIsDeletedToo() {
    world.apply(REPORT.replace("report", "fresh"));
    world.deletions.delete("task", "fresh", new DeletionRequest(null, false), "ann");
    world.launching.launch();
    assertThat(world.views.all())
        .extracting(view -> view.definition().name())
        .containsExactly("report");
    assertThat(schedules()).isEqualTo(1);
  }

  @Test
  void appliedAgainItContinuesItsVersionsAndIsPlannedAnew() {
    delete(null);
    world.apply(REPORT);
    world.launching.launch();
    assertThat(world.views.view("report").version()).isEqualTo(2);
    assertThat(world.views.view("report").paused()).isFalse();
    assertThat(schedules()).isEqualTo(1);
  }

  @Test
  void aFailedRunOfADeletedTaskIsNoProblem() {
    long run = world.service.run("report", RunParameters.NONE, "ann").id();
    world.tick(run);
    world.live(run).forEach(world::fail);
    world.conduct(run);
    assertThat(world.problems.all()).hasSize(1);
    delete(null);
    assertThat(world.problems.all()).isEmpty();
    assertThatThrownBy(() -> world.service.retry(run))
        .hasMessageContaining("no task 'report' is defined");
  }

  @Test
  void wordsOfQueuesAreRefused() {
    assertThatThrownBy(() -> delete(DeletionMode.DISCARD)).hasMessageContaining("STOP");
  }

  private DeletionView delete(DeletionMode mode) {
    return world.deletions.delete("task", "report", new DeletionRequest(mode, false), "ann");
  }

  private int schedules() {
    return world.database.read(
        handle ->
            handle.createQuery("select count(*) from task_schedule").mapTo(Integer.class).one());
  }
}
