package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.partition.PartitionDefinition;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PartitionedRunTest {
  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");
  private static final Ring THREE = Ring.of(List.of("e1", "e2", "e3"));
  private static final Ring NOBODY = Ring.of(List.of());

  @Property(tries = 200)
  void everyResourceIsInExactlyOneBatchAndEveryBatchIsOneMembers(
      @ForAll @IntRange(min = 0, max = 500) int count,
      @ForAll @IntRange(min = 1, max = 60) int size) {
    List<String> resources = resources(count);
    List<String> batches = PartitionedRun.batches(resources, THREE, size);
    assertThat(batches.stream().flatMap(batch -> PartitionedRun.resources(batch).stream()))
        .containsExactlyInAnyOrderElementsOf(resources);
    assertThat(batches)
        .allSatisfy(
            batch -> {
              List<String> together = PartitionedRun.resources(batch);
              assertThat(together).hasSizeBetween(1, size);
              assertThat(together.stream().map(THREE::owner).distinct()).hasSize(1);
            });
  }

  @Test
  void theMembersAlternateSoThatAllWorkFromTheStart() {
    List<String> batches = PartitionedRun.batches(resources(300), THREE, 10);
    assertThat(batches.subList(0, 3).stream().map(PartitionedRunTest::owner))
        .containsExactlyInAnyOrder("e1", "e2", "e3");
    assertThat(batches.subList(3, 6).stream().map(PartitionedRunTest::owner))
        .containsExactlyInAnyOrder("e1", "e2", "e3");
  }

  @Test
  void duplicateResourcesArePolledOnce() {
    assertThat(PartitionedRun.batches(List.of("b", "a", "b"), NOBODY, 1)).containsExactly("b", "a");
  }

  @Test
  void withoutMembersTheOrderIsKeptAndNothingIsLost() {
    assertThat(PartitionedRun.batches(resources(5), NOBODY, 2))
        .containsExactly("r0\nr1", "r2\nr3", "r4");
    assertThat(PartitionedRun.batches(List.of(), NOBODY, 2)).isEmpty();
  }

  @Test
  void aBatchFitsIntoAVariableOfTheEnvironment() {
    List<String> longNames =
        IntStream.range(0, 100).mapToObj(number -> "x".repeat(900) + number).toList();
    List<String> batches = PartitionedRun.batches(longNames, NOBODY, 10_000);
    assertThat(batches).hasSizeGreaterThan(1).allMatch(batch -> batch.length() <= 30_000);
  }

  @Test
  void onlyABatchOfSeveralIsSplit() {
    assertThat(PartitionedRun.isSplittable("a\nb")).isTrue();
    assertThat(PartitionedRun.isSplittable("a")).isFalse();
  }

  @Test
  void aWorkerPrefersTheMemberThatOwnsTheResource() {
    JobSpec worker = PartitionedRun.worker(plain().spec(), "r7", THREE, NOON);
    assertThat(worker.rank()).isEqualTo("name == \"" + owner("r7") + "\"");
    assertThat(worker.requires()).isNull();
    assertThat(worker.deadline()).isEqualTo(NOON);
  }

  @Test
  void batchesOfALostMemberPreferTheNextOneOnTheRing() {
    String owner = owner("r7");
    Ring rest = Ring.of(THREE.members().stream().filter(name -> !name.equals(owner)).toList());
    JobSpec worker = PartitionedRun.worker(plain().spec(), "r7", rest, NOON);
    assertThat(worker.rank()).contains(rest.owner("r7").orElseThrow());
    assertThat(PartitionedRun.worker(plain().spec(), "r7", NOBODY, NOON).rank()).isNull();
  }

  @Test
  void explicitPreferredNodesAreUsed() {
    JobSpec worker = PartitionedRun.worker(plain().rank("cpus").spec(), "r7", THREE, NOON);
    assertThat(worker.rank()).isEqualTo("cpus");
  }

  @Test
  void aSingleResourceIsRetriedAndABatchIsSplitInstead() {
    assertThat(PartitionedRun.worker(plain().spec(), "a", THREE, NOON).retry().max()).isEqualTo(2);
    JobDraft patient = plain().retry(RetryPolicy.upTo(7));
    assertThat(PartitionedRun.worker(patient.spec(), "a", THREE, NOON).retry().max()).isEqualTo(7);
    JobSpec batch = PartitionedRun.worker(patient.spec(), "a\nb\nc", THREE, NOON);
    assertThat(batch.retry().max()).isZero();
    assertThat(batch.retry().survivesNodes()).isTrue();
    assertThat(batch.name()).isEqualTo("poll a and 2 more");
  }

  @Test
  void aRunHasUntilTheNextIntervalBegins() {
    Duration minute = Duration.ofMinutes(1);
    assertThat(PartitionedRun.ends(NOON, NOON.plusSeconds(1), minute))
        .isEqualTo(NOON.plusSeconds(60));
    assertThat(PartitionedRun.ends(NOON, NOON.plusSeconds(90), minute))
        .isEqualTo(NOON.plusSeconds(150));
  }

  @Test
  void theNextIntervalStartsOnTime() {
    ScheduleDefinition every =
        new ScheduleDefinition(
            null,
            Duration.ofMinutes(1),
            null,
            null,
            null,
            null,
            null,
            OverlapRule.SKIP,
            null,
            0,
            false);
    TaskDefinition polling =
        new TaskDefinition(
            "poll",
            null,
            every,
            null,
            JobDraft.command("poll").spec(),
            null,
            1,
            null,
            null,
            false,
            null,
            null,
            null,
            new PartitionDefinition(List.of("discover"), 1),
            null,
            null);

    assertThat(polling.schedule()).isEqualTo(every.withOverlap(OverlapRule.REPLACE));
  }

  private static JobDraft plain() {
    return JobDraft.command("poll").name("poll a\nb\nc");
  }

  private static String owner(String batch) {
    return THREE.owner(PartitionedRun.resources(batch).get(0)).orElseThrow();
  }

  private static List<String> resources(int count) {
    return IntStream.range(0, count).mapToObj(number -> "r" + number).toList();
  }
}
