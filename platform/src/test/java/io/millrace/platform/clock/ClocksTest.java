package io.millrace.platform.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.clock.SystemClock.ClockOffset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClocksTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
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

  @Test
  void aDrillStepsOneProcesssWallClockByAFileAndLeavesItsMonotonicClockAlone(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("offset");
    Clock clock = new SystemClock(ClockOffset.of(file.toString()));
    assertThat(Duration.between(Instant.now(), clock.now()).abs()).isLessThan(MINUTE);
    long before = clock.nanoTime();

    Files.writeString(file, "-1h\n");
    await()
        .untilAsserted(
            () ->
                assertThat(Duration.between(Instant.now(), clock.now()).plusHours(1).abs())
                    .isLessThan(MINUTE));
    Files.writeString(file, "1h");
    await()
        .untilAsserted(
            () ->
                assertThat(Duration.between(Instant.now(), clock.now()).minusHours(1).abs())
                    .isLessThan(MINUTE));

    assertThat(Duration.ofNanos(clock.nanoTime() - before)).isLessThan(MINUTE);
  }

  @Test
  void anInvalidOffsetIsRefusedWithTheNameOfTheProperty() {
    assertThatThrownBy(() -> ClockOffset.of("soon"))
        .hasMessageContaining("millrace.clock.offset")
        .hasMessageContaining("write for instance");
    assertThat(ClockOffset.of("-90s").at(0)).isEqualTo(Duration.ofSeconds(-90));
  }
}
