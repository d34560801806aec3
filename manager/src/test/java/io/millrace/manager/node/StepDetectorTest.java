package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StepDetectorTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final StepDetector detector = new StepDetector(Duration.ofSeconds(2));

  @Test
  void aStepIsReportedOnceWithItsSizeWhenTwoReadingsShowIt() {
    detector.read("database", Duration.ofSeconds(5));
    assertThat(detector.read("database", HOUR)).isEmpty();
    assertThat(detector.read("database", HOUR)).contains(HOUR.minusSeconds(5));
    assertThat(detector.read("database", HOUR)).isEmpty();
  }

  @Test
  void aStepBackIsNegative() {
    detector.read("node e1", Duration.ZERO);
    detector.read("node e1", HOUR.negated());
    assertThat(detector.read("node e1", HOUR.negated())).contains(HOUR.negated());
  }

  @Test
  void aSingleOutlierIsNotAStep() {
    detector.read("database", Duration.ZERO);
    assertThat(detector.read("database", HOUR)).isEmpty();
    assertThat(detector.read("database", Duration.ZERO)).isEmpty();
    assertThat(detector.read("database", HOUR)).isEmpty();
  }

  @Test
  void driftIsNotAStepHoweverLarge() {
    for (int second = 0; second < 100; second++) {
      assertThat(detector.read("node e1", Duration.ofSeconds(second))).isEmpty();
    }
  }

  @Test
  void clocksAreWatchedIndependently() {
    detector.read("database", Duration.ZERO);
    detector.read("database", HOUR);
    assertThat(detector.read("node e1", HOUR)).isEmpty();
    assertThat(detector.read("node e1", HOUR)).isEmpty();
  }
}
