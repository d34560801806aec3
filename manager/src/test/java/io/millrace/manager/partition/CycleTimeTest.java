package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CycleTimeTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Instant BEGIN = Instant.parse("2030-01-01T12:34:00Z");
  private final CycleTime cycle = CycleTime.at(BEGIN.plusSeconds(40), MINUTE);

  @Test
  void aCycleLastsFromOneMultipleOfTheIntervalToTheNext() {
    assertThat(cycle.begin()).isEqualTo(BEGIN);
    assertThat(cycle.left(BEGIN.plusSeconds(40))).isEqualTo(Duration.ofSeconds(20));
    assertThat(cycle.over(BEGIN.plusSeconds(59))).isFalse();
    assertThat(cycle.over(BEGIN.plusSeconds(60))).isTrue();
  }

  @Test
  void onlyALargeClockStepBackStartsANewCycle() {
    assertThat(cycle.over(BEGIN.minusSeconds(1))).isFalse();
    assertThat(cycle.over(BEGIN.minusSeconds(60))).isFalse();
    assertThat(cycle.over(BEGIN.minusSeconds(61))).isTrue();
  }
}
