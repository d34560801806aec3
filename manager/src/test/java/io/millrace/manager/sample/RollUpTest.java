package io.millrace.manager.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.insight.FigureHistory.SampledFigure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollUpTest {
  private static final Instant NOON = Instant.parse("2026-03-29T12:00:00Z");
  private static final Instant EVENING = NOON.plus(Duration.ofHours(6));

  @Test
  void aMinuteHasTheMeanTheLargestValueAndTheLatestWeights() {
    List<TimedSample> samples = new ArrayList<>();
    for (int second = 0; second < 60; second += 5) {
      samples.add(sample(second, second == 30 ? 1_000 : 100));
    }

    List<TimedSample> minutes = minutes(samples);

    assertThat(minutes).hasSize(1);
    TimedSample minute = minutes.get(0);
    assertThat(minute.at()).isEqualTo(NOON);
    assertThat(minute.seconds()).isEqualTo(60);
    assertThat(minute.figures()).containsEntry("waiting", new SampledFigure(175, 1_000));
    assertThat(minute.weights()).isEqualTo(Map.of("q1", 55));
  }

  @Test
  void eachSampleCountsForTheTimeSinceTheOneBefore() {
    List<TimedSample> minutes = minutes(List.of(sample(5, 10), sample(10, 10), sample(50, 100)));

    // 5 s and 5 s at 10, then 40 s at 100.
    assertThat(mean(minutes.get(0))).isEqualTo(82);
  }

  @Test
  void aMinuteWithoutSamplesHasNoResultAndTheNextDoesNotSpeakForIt() {
    List<TimedSample> minutes =
        minutes(List.of(sample(55, 1), sample(60 + 300, 7), sample(60 + 305, 7)));

    assertThat(minutes).extracting(TimedSample::at).containsExactly(NOON, NOON.plusSeconds(360));
    assertThat(minutes.get(1).seconds()).isEqualTo(65);
  }

  @Test
  void aSampleBelongsToTheMinuteThatBeginsWithIt() {
    assertThat(minutes(List.of(sample(60, 1))))
        .extracting(TimedSample::at)
        .containsExactly(NOON.plusSeconds(60));
  }

  @Test
  void samplesOutsideTheSpanHaveNoEffectExceptOnTheTimeOfTheNext() {
    List<TimedSample> samples = RollUp.spaced(List.of(sample(-20, 900), sample(10, 1)));

    List<TimedSample> minutes = RollUp.steps(samples, RollUp.MINUTE, NOON, NOON.plusSeconds(60));

    assertThat(minutes).hasSize(1);
    assertThat(minutes.get(0).figures()).containsEntry("waiting", SampledFigure.of(1));
    assertThat(minutes.get(0).seconds()).isEqualTo(30);
  }

  @Test
  void aFigureThatIsMissingInSomeSamplesIsTheMeanOfTheOthers() {
    TimedSample without = new TimedSample(NOON, 5, Map.of(), Map.of());

    List<TimedSample> minutes = minutes(List.of(without, sample(5, 8)));

    assertThat(minutes.get(0).figures()).containsEntry("waiting", SampledFigure.of(8));
  }

  @Test
  void twoSamplesOfTheSameMomentDoNotDivideByNothing() {
    assertThat(mean(minutes(List.of(sample(0, 3), sample(0, 3))).get(0))).isEqualTo(3);
  }

  @Test
  void nothingAddsUpToNothing() {
    assertThat(minutes(List.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void whereTheSpanIsCutBetweenMinutesDoesNotMatter(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TimedSample> samples = RollUp.spaced(samples(random, 400));
    List<TimedSample> whole = RollUp.steps(samples, RollUp.MINUTE, NOON, EVENING);

    List<TimedSample> pieces = new ArrayList<>();
    for (Instant from = NOON; from.isBefore(EVENING); ) {
      Instant to = from.plus(RollUp.MINUTE.multipliedBy(random.nextInt(1, 30)));
      pieces.addAll(
          RollUp.steps(samples, RollUp.MINUTE, from, to.isBefore(EVENING) ? to : EVENING));
      from = to;
    }

    assertThat(pieces).isEqualTo(whole);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void longerStepsOfMinutesSayTheSameAsThoseOfSamples(long seed) {
    List<TimedSample> samples = RollUp.spaced(samples(new SplittableRandom(seed), 400));
    Duration hour = Duration.ofHours(1);

    List<TimedSample> direct = RollUp.steps(samples, hour, NOON, EVENING);
    List<TimedSample> twice =
        RollUp.steps(RollUp.steps(samples, RollUp.MINUTE, NOON, EVENING), hour, NOON, EVENING);

    assertThat(twice).hasSameSizeAs(direct);
    for (int i = 0; i < direct.size(); i++) {
      assertThat(twice.get(i).at()).isEqualTo(direct.get(i).at());
      assertThat(mean(twice.get(i))).isCloseTo(mean(direct.get(i)), within(0.01));
      assertThat(twice.get(i).figures().get("waiting").most())
          .isEqualTo(direct.get(i).figures().get("waiting").most());
      assertThat(mean(direct.get(i)))
          .isLessThanOrEqualTo(direct.get(i).figures().get("waiting").most());
    }
  }

  private static List<TimedSample> samples(SplittableRandom random, int count) {
    List<TimedSample> samples = new ArrayList<>();
    int second = 0;
    for (int i = 0; i < count; i++) {
      // Now and then nobody takes samples.
      second += random.nextInt(40) == 0 ? random.nextInt(60, 900) : random.nextInt(1, 15);
      samples.add(sample(second, random.nextInt(5_000)));
    }
    return samples;
  }

  private static List<TimedSample> minutes(List<TimedSample> samples) {
    return RollUp.steps(RollUp.spaced(samples), RollUp.MINUTE, NOON, EVENING);
  }

  private static double mean(TimedSample sample) {
    return sample.figures().get("waiting").mean();
  }

  private static TimedSample sample(int second, double waiting) {
    return new TimedSample(
        NOON.plusSeconds(second),
        RollUp.USUAL_SECONDS,
        Map.of("waiting", SampledFigure.of(waiting)),
        Map.of("q1", second));
  }
}
