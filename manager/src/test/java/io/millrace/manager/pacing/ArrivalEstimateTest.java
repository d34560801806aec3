package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ArrivalEstimateTest {
  private final PacingSettings settings =
      PacingSettings.ofBatch(50).withTick(Duration.ofSeconds(1));

  private ArrivalEstimate steady(double rate, int seconds) {
    ArrivalEstimate estimate = ArrivalEstimate.unknown().observe(0, 0, settings);
    for (int second = 1; second <= seconds; second++) {
      estimate = estimate.observe((long) (rate * second), 1, settings);
    }
    return estimate;
  }

  @Test
  void aSteadyRateIsFoundWithinAFewTicks() {
    assertThat(steady(200, 5).rate()).isEqualTo(200, within(1.0));
    assertThat(steady(0.5, 120).rate()).isEqualTo(0.5, within(0.2));
  }

  @Test
  void aBurstOfOneTickHardlyMovesTheRateBecauseItWaitsInTheQueueAlready() {
    ArrivalEstimate estimate = steady(10, 60).observe(600 + 1592, 1, settings);

    assertThat(estimate.rate()).isLessThan(10 + 1592 * 0.2);
  }

  @Test
  void theSecondTickOfAStepIsFollowedAtOnceUpAndDown() {
    ArrivalEstimate up =
        steady(10, 60).observe(600 + 100, 1, settings).observe(600 + 200, 1, settings);
    assertThat(up.rate()).isBetween(75.0, 100.0);

    ArrivalEstimate down = steady(100, 60).observe(6000, 1, settings).observe(6000, 1, settings);
    assertThat(down.rate()).isLessThan(25);
  }

  @Test
  void aCounterThatWentBackwardsIsANewBaselineAndNoBurst_H218() {
    ArrivalEstimate before = steady(100, 60);

    ArrivalEstimate replaced = before.observe(17, 1, settings);
    assertThat(replaced.rate()).isEqualTo(before.rate());

    assertThat(replaced.observe(117, 1, settings).rate()).isEqualTo(100, within(5.0));
  }

  @Test
  void theFirstTickOfAProcessKeepsTheRecordedRate_H217() {
    ArrivalEstimate recorded = steady(100, 60);

    ArrivalEstimate resumed = recorded.observe(6000 + 360_000, 0, settings);

    assertThat(resumed.rate()).isEqualTo(recorded.rate());
    assertThat(resumed.observe(366_100, 1, settings).rate()).isEqualTo(100, within(5.0));
  }

  @Test
  void arrivalsDuringAnUnreadableTimeAreSpreadOverIt() {
    ArrivalEstimate blind = steady(100, 60);
    for (int second = 0; second < 30; second++) {
      blind = blind.miss(1);
    }

    assertThat(blind.observe(9100, 1, settings).rate()).isEqualTo(100, within(5.0));
  }

  @Test
  void aGapLongerThanTheHistoryMeasuresNothing() {
    ArrivalEstimate before = steady(100, 60);

    assertThat(before.observe(10_000_000, 3600, settings).rate()).isEqualTo(before.rate());
  }

  @Test
  void aTickThatFollowsTooSoonIsMeasuredTogetherWithTheNext() {
    ArrivalEstimate estimate = steady(100, 60);

    ArrivalEstimate hasty = estimate.observe(6030, 0.01, settings);
    assertThat(hasty.rate()).isEqualTo(estimate.rate());

    assertThat(hasty.observe(6100, 0.99, settings).rate()).isEqualTo(100, within(1.0));
  }
}
