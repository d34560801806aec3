package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails.FailedChunk;
import io.millrace.manager.partition.Ring;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How runs of partitioned tasks are conducted, on a real database. */
class PartitionedConductTest {
  @TempDir private Path folder;
  private TaskWorld world;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    IntStream.range(0, 3).forEach(number -> world.nodes.add(node("e" + number)));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void eachWorkerReadsTheResourcesOfItsBatchAndPrefersTheirNode() {
    print(30);
    long run = begin(5, 100);
    Ring ring = Ring.of(List.of("e0", "e1", "e2"));
    List<String> all = new ArrayList<>();
    for (JobView job : world.live(run)) {
      JobSpec spec = spec(job);
      List<String> resources = spec.stdin().lines().toList();
      assertThat(resources).hasSizeBetween(1, 5);
      String owner = ring.owner(resources.get(0)).orElseThrow();
      assertThat(spec.rank()).isEqualTo("name == \"" + owner + "\"");
      assertThat(spec.env().get("MILLRACE_CHUNK").lines()).containsExactlyElementsOf(resources);
      assertThat(spec.deadline()).isAfter(world.database.now());
      all.addAll(resources);
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(world.printed);
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aFailedBatchIsSplitAndItsResourcesArePolledAfterAllOthers() {
    world.nodes.clear();
    print(9);
    long run = begin(3, 1);
    List<String> polled = new ArrayList<>();
    for (int i = 0; i < 50 && world.run(run).state() == RunState.RUNNING; i++) {
      for (JobView job : world.live(run)) {
        String resources = spec(job).stdin().strip().replace('\n', ' ');
        polled.add(resources);
        if (resources.contains("r1")) {
          world.fail(job);
        } else {
          world.succeed(job);
        }
      }
      world.tick(run);
    }
    assertThat(polled).containsExactly("r0 r1 r2", "r3 r4 r5", "r6 r7 r8", "r0", "r1", "r2");
    TaskRunView ended = world.run(run);
    assertThat(ended.state()).isEqualTo(RunState.FAILED);
    assertThat(ended.failed()).isEqualTo(1);
    assertThat(ended.done() + ended.failed()).isEqualTo(ended.total());
    assertThat(world.views.details(run).failedChunks())
        .extracting(FailedChunk::chunk)
        .containsExactly("r1");
  }

  @Test
  void theLastBatchThatFailsDoesNotEndTheRun() {
    world.nodes.clear();
    print(2);
    long run = begin(2, 1);
    world.fail(world.live(run).get(0));
    world.tick(run);
    assertThat(world.live(run)).hasSize(1);
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void everyResourceIsPolledExactlyOnceWhileNodesComeAndGo() {
    world.nodes.clear();
    IntStream.range(0, 10).forEach(number -> world.nodes.add(node("e" + number)));
    print(10_000);
    Random random = new Random(7);
    for (int cycle = 0; cycle < 3; cycle++) {
      long run = begin(100, 20);
      Set<Long> seen = new HashSet<>();
      List<String> polled = new ArrayList<>();
      for (int i = 0; i < 1000 && world.run(run).state() == RunState.RUNNING; i++) {
        for (JobView job : world.live(run)) {
          if (seen.add(job.id())) {
            polled.addAll(spec(job).stdin().lines().toList());
          }
          world.succeed(job);
        }
        if (random.nextBoolean() && world.nodes.size() > 5) {
          world.nodes.remove(random.nextInt(world.nodes.size()));
        } else {
          world.nodes.add(node("n" + cycle + "-" + i));
        }
        world.tick(run);
      }
      assertThat(world.run(run).state()).isEqualTo(RunState.SUCCEEDED);
      assertThat(polled).doesNotHaveDuplicates().hasSize(world.printed.size());
    }
  }

  @Test
  void theNextIntervalReplacesAnUnfinishedRun() {
    world.apply(yaml(1, 1));
    world.launching.launch();
    VersionedTask task = new VersionedTask(world.views.view("t").definition(), 1, Instant.EPOCH);
    assertThat(task.overlap()).isEqualTo(OverlapRule.REPLACE);
  }

  private void print(int resources) {
    world.printed.clear();
    IntStream.range(0, resources).forEach(number -> world.printed.add("r" + number));
  }

  /** A run whose first workers are started. */
  private long begin(int batch, int instances) {
    world.apply(yaml(batch, instances));
    long run = world.service.run("t", RunParameters.NONE, "ann").id();
    world.tick(run);
    world.live(run).forEach(world::succeed);
    world.tick(run);
    world.tick(run);
    return run;
  }

  private static String yaml(int batch, int instances) {
    return ("{kind: task, name: t, instances: %d, schedule: {every: 1h},"
            + " partition: {discover: [list], batch: %d}, job: {command: [poll]}}")
        .formatted(instances, batch);
  }

  private JobSpec spec(JobView job) {
    return Json.read(world.spec(job), JobSpec.class);
  }

  private static ExecutionNodeView node(String name) {
    return new ExecutionNodeView(
        null,
        name,
        null,
        NodeStatus.ACTIVE,
        false,
        null,
        0,
        0,
        0,
        null,
        List.of("default"),
        null,
        0,
        List.of(),
        true,
        null,
        null,
        List.of(),
        null,
        null,
        0,
        0);
  }
}
