package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class InstanceRuleTest {
  private static final Instant NOW = Instant.parse("2026-03-01T02:00:00Z");

  @Test
  void aHundredChunksOfAMinuteInTenMinutesNeedTenWorkers() {
    assertThat(InstanceRule.workers(100, 60, 50, NOW, NOW.plusSeconds(600))).isEqualTo(10);
  }

  @Test
  void withoutATargetTimeAllInstancesAreStarted() {
    assertThat(InstanceRule.workers(100, 60, 50, NOW, null)).isEqualTo(50);
  }

  @Test
  void thereAreNeverMoreWorkersThanChunks() {
    assertThat(InstanceRule.workers(3, 60, 50, NOW, null)).isEqualTo(3);
    assertThat(InstanceRule.workers(0, 60, 50, NOW, null)).isZero();
  }

  @Test
  void withoutMeasurementsAllInstancesAreStarted() {
    assertThat(InstanceRule.workers(100, 0, 50, NOW, NOW.plusSeconds(600))).isEqualTo(50);
  }

  @Test
  void aLateRunStartsAllInstances() {
    assertThat(InstanceRule.workers(100, 60, 50, NOW, NOW.plusSeconds(30))).isEqualTo(50);
    assertThat(InstanceRule.workers(100, 60, 50, NOW, NOW.minusSeconds(30))).isEqualTo(50);
  }

  @Property
  void theChosenWorkersAreTheFewestThatEndInTime(
      @ForAll @IntRange(min = 1, max = 10_000) int chunks,
      @ForAll @IntRange(min = 1, max = 300) int chunkSeconds,
      @ForAll @IntRange(min = 1, max = 500) int max,
      @ForAll @IntRange(min = 1, max = 30_000) int seconds) {
    int workers = InstanceRule.workers(chunks, chunkSeconds, max, NOW, NOW.plusSeconds(seconds));

    assertThat(workers).isBetween(1, Math.min(max, chunks));
    boolean possible = duration(chunks, chunkSeconds, Math.min(max, chunks)) <= seconds;
    if (possible) {
      assertThat(duration(chunks, chunkSeconds, workers)).isLessThanOrEqualTo(seconds);
    }
    if (possible && workers > 1) {
      assertThat(duration(chunks, chunkSeconds, workers - 1)).isGreaterThan(seconds);
    }
  }

  /** What so many workers take that begin together, whole chunk by whole chunk. */
  private static long duration(int chunks, int chunkSeconds, int workers) {
    return (long) ((chunks + workers - 1) / workers) * chunkSeconds;
  }
}
