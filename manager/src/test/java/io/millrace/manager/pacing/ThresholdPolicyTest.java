package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ThresholdPolicyTest {
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  private final ThresholdPolicy policy = new ThresholdPolicy();
  private final PacingSettings settings =
      PacingSettings.ofBatch(50)
          .withPolicy("threshold")
          .withTick(TEN_SECONDS)
          .withThreshold(ThresholdSettings.defaults().withUpperLimit(500))
          .withLimits(new PacingLimits(10_000, 10_000, 10_000));

  private PacingDecision minute(long... readings) {
    PacingState state = PacingState.initial();
    PacingDecision decision =
        policy.decide(Tick.waiting(0).since(Duration.ZERO).snapshot(), settings, state);
    for (long reading : readings) {
      decision =
          policy.decide(
              Tick.waiting(reading).since(TEN_SECONDS).snapshot(), settings, decision.state());
    }
    return decision;
  }

  private static double rate(PacingDecision decision) {
    return decision.state().threshold().rate();
  }

  @Test
  void theRateRisesByAFifthPerSuccessiveBreachCountedBackFromNow_H172_H174() {
    assertThat(rate(minute(900, 900, 100, 501, 501, 501))).isEqualTo(1.2 * 1.2 * 1.2, within(1e-9));
  }

  @Test
  void aReadingAtTheLimitIsNotABreachAndEndsTheCount() {
    assertThat(rate(minute(900, 900, 900, 900, 900, 500))).isEqualTo(1.0);
  }

  @Test
  void moreThanFourEmptyReadingsLowerTheRateByATenth_H173() {
    assertThat(rate(minute(0, 0, 20, 0, 0, 0))).isEqualTo(0.9, within(1e-9));
    assertThat(rate(minute(0, 0, 20, 20, 0, 0))).isEqualTo(1.0);
  }

  @Test
  void theRateNeverFallsBelowItsMinimum() {
    PacingDecision decision = minute(0, 0, 0, 0, 0, 0);
    for (int tick = 0; tick < 600; tick++) {
      decision =
          policy.decide(Tick.waiting(0).since(TEN_SECONDS).snapshot(), settings, decision.state());
    }
    assertThat(rate(decision)).isEqualTo(settings.threshold().minimumRate());
  }

  @Test
  void aQueueAddsNoBurstUntilItIsLongerThanItsBacklogSays_H181() {
    ThresholdSettings patient = settings.threshold().with(copy -> copy.backlogThreshold(20_000));
    PacingSettings other = settings.withThreshold(patient);
    PacingState state =
        policy
            .decide(Tick.waiting(0).since(Duration.ZERO).snapshot(), other, PacingState.initial())
            .state();
    for (long reading : new long[] {0, 0, 0, 100, 100}) {
      state =
          policy.decide(Tick.waiting(reading).since(TEN_SECONDS).snapshot(), other, state).state();
    }
    Tick at = Tick.waiting(20_000).since(TEN_SECONDS);
    assertThat(policy.decide(at.snapshot(), other, state).workers()).isEqualTo(12);
    Tick above = Tick.waiting(20_001).since(TEN_SECONDS);
    assertThat(policy.decide(above.snapshot(), other, state).workers()).isEqualTo(12 + 400);
  }

  @Test
  void aBacklogAddsABurstThatCoversIt_H181() {
    PacingDecision decision = minute(0, 0, 0, 100, 100, 10_049);

    assertThat(decision.workers()).isEqualTo(12 + 200);
    assertThat(decision.reason())
        .isEqualTo(
            "10049 waiting, 1 successive readings above 500: rate 1/s raised to 1.2/s"
                + " + 200 for the backlog of 10049 → 212 workers");
  }

  @Test
  void theRateIsConstantBetweenEvaluationsAndFractionsOfWorkersAreNotLost() {
    PacingSettings halfSecond = settings.withTick(Duration.ofMillis(500));
    PacingDecision decision =
        policy.decide(
            Tick.waiting(0).since(Duration.ZERO).snapshot(), halfSecond, PacingState.initial());
    int workers = 0;
    for (int tick = 0; tick < 100; tick++) {
      decision =
          policy.decide(
              Tick.waiting(9000).since(Duration.ofMillis(500)).snapshot(),
              halfSecond,
              decision.state());
      workers += decision.workers();
    }
    assertThat(rate(decision)).isEqualTo(1.0);
    assertThat(workers).isEqualTo(50);
  }

  @Test
  void aRestartContinuesWithTheRecordedRateAndDropsReadingsOfUnknownAge_H217() {
    PacingState recorded = minute(900, 900, 900, 900, 900, 900).state();

    PacingDecision first =
        policy.decide(Tick.waiting(90_000).since(Duration.ZERO).snapshot(), settings, recorded);

    assertThat(first.workers()).isZero();
    assertThat(rate(first)).isEqualTo(recorded.threshold().rate());
    assertThat(first.state().threshold().readings()).isEmpty();
  }

  @Test
  void aLongGapIsNotReadAsABurst_H218() {
    PacingState recorded = minute(900, 900, 900, 900, 900, 900).state();

    PacingDecision late =
        policy.decide(
            Tick.waiting(90_000).since(Duration.ofHours(1)).snapshot(), settings, recorded);

    assertThat(late.workers()).isLessThanOrEqualTo((int) Math.ceil(20 * rate(late)) + 1);
    assertThat(rate(late)).isEqualTo(recorded.threshold().rate());
  }

  @Test
  void aQueueThatWasNeverPacedIsEvaluatedAtItsFirstTick() {
    PacingDecision first =
        policy.decide(
            Tick.waiting(900).since(Duration.ZERO).snapshot(), settings, PacingState.initial());

    assertThat(rate(first)).isEqualTo(1.2, within(1e-9));
    assertThat(first.workers()).isEqualTo(12 + 18);
  }
}
