package io.millrace.simulator.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ticks of 10 s rather than 2 s, so that a day of 50 nodes takes about a second. */
class PublishedConfigurationsTest {
  private static final SimulationSettings USUAL = SimulationSettings.usual();
  private static final SimulationSettings WORLD =
      new SimulationSettings(
          Duration.ofSeconds(10),
          USUAL.nodeCapacity(),
          USUAL.rateNoise(),
          USUAL.signalNoise(),
          USUAL.reverseWindow(),
          USUAL.flapWindow(),
          USUAL.states());

  // 200 equal queues: random-one leaves nodes overloaded for hours and so moves few points.
  private static final int FLAT = 3;

  private static final Map<String, DayResult> RESULTS = new HashMap<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void theMeasuredPolicyMovesLessThanEveryRandomOneAndHitsTheCauseMoreOften(int configuration) {
    DayResult measured = result(configuration, "measured");
    double hits = hitShare(measured);
    // Not 1 where hundreds of queues are alike: which of two brings more may change within a tick.
    assertThat(hits).isGreaterThan(0.85);
    assertThat(measured.pingPongs()).isZero();
    for (String random : List.of("random-one", "random-25", "random-40")) {
      DayResult other = result(configuration, random);
      assertThat(measured.moves()).as("moves, beside " + random).isLessThan(other.moves());
      if (configuration != FLAT) {
        assertThat(measured.points()).as("points, beside " + random).isLessThan(other.points());
      }
      assertThat(hits).as("first hits, beside " + random).isGreaterThan(hitShare(other));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theHotQueueIsMovedAtTheFirstAttemptOfEveryOverload(int configuration) {
    DayResult measured = result(configuration, "measured");
    assertThat(measured.overloads()).isPositive();
    assertThat(measured.firstHits()).isEqualTo(measured.overloads() - measured.unresolved());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aClusterWithSpareCapacityNeitherFlapsNorIsOverloaded(int configuration) {
    DayResult measured = result(configuration, "measured");
    assertThat(measured.unresolved()).isZero();
    assertThat(measured.flaps()).isZero();
    assertThat(measured.overCapacityMinutes()).isZero();
  }

  @Test
  void theNumberOfUsedNodesFollowsTheLoad() {
    Day day = day(1, "measured");
    day.run();
    assertThat(used(day.samples().get(30))).as("04:30").isLessThanOrEqualTo(3);
    assertThat(used(day.samples().get(12 * 60))).as("16:00").isGreaterThanOrEqualTo(7);
    assertThat(used(day.samples().get(24 * 60 - 1))).as("04:00").isLessThanOrEqualTo(3);
  }

  @Test
  void sixNodesAreOverloadedAtThePeakAndReportIt() {
    DayResult day = result(2, "measured");
    assertThat(day.unresolved()).isPositive();
    assertThat(day.shortages()).isPositive();
  }

  @Test
  void equalSeedsGiveEqualDaysAndOthersDoNot() {
    assertThat(day(1, "random-40").run()).isEqualTo(result(1, "random-40"));
    assertThat(result(1, "random-40")).isNotEqualTo(result(2, "random-40"));
  }

  /** What a day came to; each is simulated once, since equal seeds give equal days. */
  private static DayResult result(int configuration, String policy) {
    return RESULTS.computeIfAbsent(
        configuration + " " + policy, key -> day(configuration, policy).run());
  }

  private static Day day(int configuration, String policy) {
    return new Day(
        Configuration.PUBLISHED.get(configuration - 1),
        BalancingPolicies.named(policy, BalancingSettings.of(WORLD.states())),
        WORLD,
        1);
  }

  private static double hitShare(DayResult day) {
    return (double) day.firstHits() / (day.overloads() - day.unresolved());
  }

  private static int used(DaySample sample) {
    return sample.rates().size() - sample.states().get(NodeState.IDLE);
  }
}
