package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Spread;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacingSimulationTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofSeconds(5);
  private static final WorkerBehaviour EXIT =
      WorkerBehaviour.exit(50, Duration.ofSeconds(2), Duration.ofSeconds(5));
  private static final WorkerBehaviour LINGER =
      WorkerBehaviour.linger(50, Duration.ofSeconds(2), Duration.ofSeconds(5));

  private static PacingResult run(Scenario scenario, String policy, double knob) {
    ComparedPolicies contenders = ComparedPolicies.uncapped(scenario.workers(), TICK);
    return new PacingSimulation(scenario, contenders.named(policy, knob)).run();
  }

  @Test
  void aStaticConfigurationStartsTheSameNumberWhateverArrives_H002() {
    PacingResult none = run(Scenario.of("none", RateCurve.constant(0.001), 1000, EXIT), "fixed", 2);
    PacingResult many = run(Scenario.of("many", RateCurve.constant(100), 1000, EXIT), "fixed", 2);

    assertThat(none.runs()).isEqualTo(many.runs()).isBetween(1980L, 2000L);
    assertThat(none.emptyRuns()).isGreaterThan(1970);
    assertThat(many.emptyRuns()).isZero();
  }

  @Test
  void thePublishedBestCaseOfTheStaticConfigurationIsItsPeakRateForever_H191() {
    PublishedTable table = PublishedTable.named("4.3");
    ComparedPolicies contenders = ComparedPolicies.uncapped(table.scenario().workers(), SECOND);
    PacingResult fixed =
        new PacingSimulation(table.scenario(), contenders.named("fixed", 20)).run();

    assertThat((double) fixed.runs()).isCloseTo(240_000, within(20.0));
  }

  @Test
  void anExitWorkerTakesUpToABatchAtItsStartAndTheRestWaits() {
    // 100 events in the first second; one worker each five seconds, from the second tick on.
    RateCurve burst = second -> Math.min(100, 100 * second);
    PacingResult result = run(Scenario.of("burst", burst, 60, EXIT), "fixed", 0.2);

    // The first worker is submitted at 5 s and takes its 50 at 7 s, the second 5 s later.
    assertThat(result.waiting()).isEqualTo(100 * 8 + 50 * 5);
    assertThat(result.longestWait()).isEqualTo(12);
  }

  @Test
  void lingeringWorkersNeedNoMoreRunsAndLetEventsWaitLess() {
    RateCurve steady = RateCurve.constant(2);
    PacingResult exit = run(Scenario.of("exit", steady, 7200, EXIT), "demand", 5);
    PacingResult linger = run(Scenario.of("linger", steady, 7200, LINGER), "demand", 5);

    assertThat(linger.runs()).isLessThan(exit.runs());
    assertThat(linger.meanWait()).isLessThan(exit.meanWait() / 2);
    assertThat(linger.runs()).isLessThan((long) (1.05 * linger.floorRuns()) + 2);
  }

  @Test
  void aLingeringWorkerExitsAfterItsIdleTime() {
    RateCurve two = second -> second < 100 ? Math.min(1, second) : 2;
    PacingResult result = run(Scenario.of("two", two, 200, LINGER), "keda-accurate", 50);

    assertThat(result.events()).isEqualTo(2);
    assertThat(result.runs()).isEqualTo(2);
    assertThat(result.mostOutstanding()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"demand", "threshold", "keda-accurate"})
  void equalSeedsGiveEqualRunsAndOthersDiffer(String policy) {
    Scenario seven =
        Scenario.of("poisson", RateCurve.constant(7), 3600, EXIT).with(Spread.POISSON, 7);
    PacingResult first = run(seven, policy, 50);

    assertThat(run(seven, policy, 50)).isEqualTo(first);
    assertThat(run(seven.with(Spread.POISSON, 8), policy, 50).events())
        .isNotEqualTo(first.events());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.5, 3, 70, 900})
  void poissonArrivalsHaveTheExpectedNumberAndSpread(double rate) {
    Arrivals arrivals = new Arrivals(RateCurve.constant(rate), Spread.POISSON, 3);
    int seconds = 50_000;
    double sum = 0;
    double squares = 0;
    for (int second = 1; second <= seconds; second++) {
      int events = arrivals.until(second);
      sum += events;
      squares += (double) events * events;
    }
    double mean = sum / seconds;
    assertThat(mean).isCloseTo(rate, within(5 * Math.sqrt(rate / seconds)));
    assertThat(squares / seconds - mean * mean).isCloseTo(rate, within(0.1 * rate));
  }

  @Test
  void evenArrivalsAddUpToTheCurve() {
    Arrivals arrivals = new Arrivals(RateCurve.raisedSine(50, 4000, 12_000), Spread.EVEN, 1);
    long sum = 0;
    for (int second = 1; second <= 12_000; second++) {
      sum += arrivals.until(second);
    }
    assertThat(sum).isEqualTo(300_000);
  }

  @Test
  void placesAreRefilledAsWorkersEndUntilTheDecisionIsUsedUp() {
    Duration run = Duration.ofMillis(200);
    double runs = 100 * 0.3 / 4;
    WorkerBehaviour workers = WorkerBehaviour.exit(1, Duration.ofMillis(100), run);
    RateCurve burst = second -> Math.min(1000, 10_000 * second);
    Scenario scenario =
        new Scenario(
            "refilled",
            burst,
            Spread.EVEN,
            1,
            1,
            10 * runs + 10,
            Duration.ofMillis(100),
            workers,
            Cluster.unlimited(),
            List.of());
    ComparedPolicies four = new ComparedPolicies(workers, TICK, new PacingLimits(4, 20, 10_000));
    PacingResult result = new PacingSimulation(scenario, four.named("demand")).run();

    assertThat(result.leftOver()).isZero();
    assertThat(result.runs()).isEqualTo(1000);
    assertThat(result.mostOutstanding()).isEqualTo(4);
    assertThat(result.longestWait()).isLessThan(10 * runs + 5);
  }

  /** How long it takes is printed, for the results, and depends on the machine. */
  @Test
  void aYearOfOneQueueIsSimulated() {
    double turn = 2 * Math.PI / 86_400;
    RateCurve year = second -> second - Math.sin(turn * second) / turn;
    long begin = System.nanoTime();
    PacingResult result = run(Scenario.of("year", year, 365 * 86_400.0, EXIT), "demand", 5);
    double seconds = (System.nanoTime() - begin) / 1e9;

    System.out.printf("a year of one queue, %d events: %.1f s%n", result.events(), seconds);
    assertThat(result.events()).isEqualTo(31_536_000);
    assertThat(result.leftOver()).isLessThan(50);
  }
}
