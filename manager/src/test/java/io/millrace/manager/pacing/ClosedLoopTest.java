package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClosedLoopTest {
  private static final int PUBLISHED_SECONDS = 12_000;
  private static final PacingSettings UNLIMITED =
      PacingSettings.ofBatch(50)
          .withTick(Duration.ofSeconds(1))
          .withLimits(new PacingLimits(1 << 28, 1 << 28, 1 << 28));

  private static PacingSettings threshold(long upperLimit) {
    return UNLIMITED
        .withPolicy("threshold")
        .withThreshold(ThresholdSettings.defaults().withUpperLimit(upperLimit));
  }

  @ParameterizedTest
  @ValueSource(longs = {50, 250, 500, 1000, 2000, 5000, 15000})
  void demandNeedsFewerRunsAndLessWaitingThanEveryPublishedLimit_H192(long upperLimit) {
    ClosedLoop.Totals demand =
        new ClosedLoop(UNLIMITED, 2, 5).run(PUBLISHED_SECONDS, ClosedLoop.publishedSine(1000));
    ClosedLoop.Totals published =
        new ClosedLoop(threshold(upperLimit), 2, 5)
            .run(PUBLISHED_SECONDS, ClosedLoop.publishedSine(1000));

    assertThat(demand.runs()).isLessThan(published.runs());
    assertThat(demand.waiting()).isLessThan(published.waiting());
    assertThat(demand.runs()).isLessThan((long) (demand.events() / 50.0 * 1.01));
  }

  /** The published figures; the rule leaves enough open that its reading is only near to them. */
  @ParameterizedTest
  @CsvSource({
    "50, 211115",
    "250, 175680",
    "500, 167900",
    "1000, 158138",
    "2000, 157162",
    "5000, 155812",
    "15000, 147241"
  })
  void thresholdNeedsAboutThePublishedNumberOfRuns_H192(long upperLimit, long publishedRuns) {
    ClosedLoop.Totals totals =
        new ClosedLoop(threshold(upperLimit), 1, 0)
            .run(PUBLISHED_SECONDS, ClosedLoop.publishedSine(1000));

    assertThat(totals.runs()).isCloseTo(publishedRuns, withinPercentage(15));
  }

  @Test
  void demandServesASlowQueueWithinItsWaitTarget() {
    ClosedLoop.Totals totals = new ClosedLoop(UNLIMITED, 1, 1).run(3600, second -> 0.5);

    double meanWait = (double) totals.waiting() / totals.events();
    assertThat(meanWait).isLessThan(5);
    assertThat(totals.runs()).isLessThan(totals.events());
  }
}
