package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.check.Availability.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatabaseTimesTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void aTimeIsLocatedBetweenTheSamplesAroundIt() {
    assertThat(times(0, 1, 2).when(BEGIN.plusMillis(1500))).containsExactly(new Span(1, 2));
    assertThat(times(0, 1, 2).when(BEGIN.plusSeconds(9))).isEmpty();
  }

  @Test
  void aTimeThatTheClockSkippedIsLocatedWithinTheStep() {
    assertThat(times(0, 3601, 3602).when(BEGIN.plusSeconds(1800))).containsExactly(new Span(0, 1));
  }

  @Test
  void aTimeShownTwiceIsLocatedInBothSpans() {
    assertThat(times(0, 1, 2, 0, 1).when(BEGIN.plusMillis(500)))
        .containsExactly(new Span(0, 1), new Span(3, 4));
  }

  /** One sample per second with these database times. */
  private static DatabaseTimes times(int... shown) {
    List<ClusterSample> samples = new ArrayList<>();
    for (int second = 0; second < shown.length; second++) {
      Instant time = BEGIN.plus(Duration.ofSeconds(shown[second]));
      samples.add(new ClusterSample(second, time, List.of(), List.of()));
    }
    return new DatabaseTimes(samples);
  }
}
