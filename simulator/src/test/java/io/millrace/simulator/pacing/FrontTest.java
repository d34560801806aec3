package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.simulator.pacing.KnobSweep.Front;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrontTest {
  private static PacingResult point(long runs, double wait) {
    return new PacingResult("p", "knob", 1, 0, runs, 0, 0, 0, 0, wait, 0, 0, 0, 0);
  }

  private static Front front(PacingResult... points) {
    return Front.of("p", Arrays.asList(points));
  }

  @Test
  void onlySettingsThatNoOtherDominatesAreKept() {
    Front front = front(point(10, 5), point(12, 5), point(11, 6), point(20, 1), point(10, 7));

    assertThat(front.points()).containsExactly(point(10, 5), point(20, 1));
  }

  @Test
  void aFrontDominatesIfItMatchesEachPointOfTheOtherAndBeatsOne() {
    Front good = front(point(10, 5), point(20, 1));

    assertThat(good.dominates(front(point(10, 6), point(30, 1)))).isTrue();
    assertThat(good.dominates(front(point(10, 5), point(30, 0.9)))).isFalse();
    assertThat(good.dominates(good)).isFalse();
    assertThat(good.uncovered(front(point(10, 5), point(30, 0.9)))).containsExactly(point(30, 0.9));
  }

  /** Not the measured traces: a stream with a daily curve, noise and bursts, made here. */
  @ParameterizedTest
  @CsvSource({"EXIT, 0.3", "EXIT, 3", "EXIT, 30", "LINGER, 0.3", "LINGER, 3", "LINGER, 30"})
  void theFrontOfDemandIsNowhereBehindThoseOfThePublishedRuleAndOfKeda(
      WorkerBehaviour.Kind kind, double mean) {
    Duration latency = Duration.ofSeconds(2);
    Duration run = Duration.ofSeconds(5);
    WorkerBehaviour workers =
        kind == WorkerBehaviour.Kind.EXIT
            ? WorkerBehaviour.exit(50, latency, run)
            : WorkerBehaviour.linger(50, latency, run);
    Trace trace = GeneratedTrace.day(42);
    RateCurve scaled = trace.times(mean * trace.seconds() / trace.events());
    Scenario scenario = Scenario.of("generated", scaled, trace.seconds(), workers);
    ComparedPolicies contenders = ComparedPolicies.uncapped(workers, Duration.ofSeconds(5));

    KnobSweep.SweepOutcome outcome = new KnobSweep(scenario, contenders, 17).run();

    Front demand = outcome.fronts().get(0);
    // Within one percent: where both start one worker per tick, single runs of a short day decide.
    assertThat(outcome.fronts().stream().skip(1).flatMap(other -> other.points().stream()))
        .allSatisfy(
            point ->
                assertThat(demand.points())
                    .anyMatch(
                        own ->
                            own.runs() <= 1.01 * point.runs() + 2
                                && own.meanWait() <= 1.01 * point.meanWait()));
  }
}
