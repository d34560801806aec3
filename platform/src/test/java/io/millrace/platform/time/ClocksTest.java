package io.millrace.platform.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class ClocksTest {

  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  @Test
  void theSystemClockGivesWholeMicrosecondsBecauseDatabasesStoreNoMore() {
    Instant now = new SystemClock().now();

    assertThat(now).isEqualTo(now.truncatedTo(ChronoUnit.MICROS));
  }

  @Test
  void advancingAManualClockMovesBothClocksByTheSameAmount() {
    ManualClock clock = new ManualClock(START);
    long before = clock.nanoTime();

    clock.advance(Duration.ofSeconds(5));

    assertThat(clock.now()).isEqualTo(START.plusSeconds(5));
    assertThat(clock.nanoTime() - before).isEqualTo(5_000_000_000L);
  }

  @Test
  void steppingTheWallClockLeavesTheMonotonicOneAlone() {
    ManualClock clock = new ManualClock(START);
    long before = clock.nanoTime();

    clock.stepWall(Duration.ofHours(-1));

    assertThat(clock.now()).isEqualTo(START.minusSeconds(3600));
    assertThat(clock.nanoTime()).isEqualTo(before);
  }

  @Test
  void aManualClockCannotRunBackwards() {
    ManualClock clock = new ManualClock(START);

    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
