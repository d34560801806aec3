package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.TaskView.TaskPause;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskMetersTest {
  private static final String HOURLY =
      "{kind: task, name: hourly, schedule: {every: 1h}, job: {command: ['true']}}";

  @TempDir Path folder;
  private TaskWorld world;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    world.apply(HOURLY);
    world.launching.launch();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void missedTimesAreCountedAndTheDelayOfTheStartIsMeasured() {
    Instant hour = world.database.now().truncatedTo(ChronoUnit.HOURS);
    world.plan("hourly", hour.minus(Duration.ofHours(4)));

    world.launching.launch();

    assertThat(runs("missed")).isEqualTo(4);
    assertThat(world.meters.get("millrace.task.start.delay").timer().count()).isEqualTo(1);
  }

  @Test
  void timesThatPassInAPauseAreNotCounted() {
    world.service.pause("hourly", new TaskPause("the disk is full", null), "ann");
    world.due("hourly", Duration.ofHours(3));

    world.launching.launch();
    world.service.resume("hourly");

    assertThat(world.meters.find("millrace.task.runs").counters()).isEmpty();
  }

  @Test
  void aTaskThatWasNotLaunchedIsLate() {
    assertThat(world.problems.late()).isZero();

    world.due("hourly", Duration.ofMinutes(2));

    assertThat(world.problems.late()).isEqualTo(1);
  }

  private double runs(String state) {
    return world
        .meters
        .get("millrace.task.runs")
        .tags("task", "hourly", "state", state)
        .counter()
        .count();
  }
}
