package io.millrace.simulator.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.simulator.containers.CapacityComparison.ConsumersDay;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrangements side by side on one day. */
class CapacityComparisonTest {
  private static final CapacityComparison COMPARISON =
      new CapacityComparison(CapacityDay.usual(), ContainerSettings.usual(), 1.5, 1);

  private static Map<String, CapacityResult> results;

  @BeforeAll
  static void run() {
    results =
        COMPARISON.run().stream()
            .collect(Collectors.toMap(CapacityResult::arrangement, Function.identity()));
  }

  @Test
  void everyEventOfTheDayIsHandledUnderEach() {
    assertThat(results).containsOnlyKeys("fixed", "containers", "demand, exit", "demand, linger");
    double events = results.get("fixed").events() + results.get("fixed").leftOver();
    assertThat(results.values())
        .allSatisfy(
            // Those of a failed worker are taken twice.
            one -> assertThat(one.events() + one.leftOver()).isBetween(events, events * 1.001));
  }

  @Test
  void aStaticConfigurationHoldsItsPeakAllDayLong_H002_H004() {
    CapacityResult fixed = results.get("fixed");

    // 18 consumers of the large kind and 3 of each small one, but for a node's part while it is
    // away.
    assertThat(fixed.mostHeld()).isEqualTo(30);
    assertThat(fixed.heldHours()).isBetween(30 * 24 - 2 * 4 - 0.1, 30 * 24.0);
    assertThat(fixed.moves()).isZero();
  }

  @Test
  void workersFollowABurstThatTheOthersDoNot_H264() {
    CapacityResult containers = results.get("containers");
    CapacityResult fixed = results.get("fixed");

    assertThat(containers.enoughAfterBurst()).isGreaterThan(120);
    assertThat(fixed.enoughAfterBurst()).isGreaterThan(1800);
    assertThat(List.of(results.get("demand, exit"), results.get("demand, linger")))
        .allSatisfy(
            ours -> {
              assertThat(ours.enoughAfterBurst()).isLessThan(60);
              assertThat(ours.longestWait()).isLessThan(30).isLessThan(containers.longestWait());
              assertThat(ours.heldHours())
                  .isLessThan(fixed.heldHours())
                  .isLessThan(containers.heldHours());
            });
  }

  @Test
  void noArrangementHoldsLessThanTheWorkNeeds() {
    assertThat(results.values())
        .allSatisfy(one -> assertThat(one.heldHours()).isGreaterThan(one.neededHours()));
  }

  @Test
  void theFirstDayHasCurvesOfEachArrangement() {
    assertThat(COMPARISON.firstDay())
        .containsOnlyKeys("fixed", "containers", "demand, exit", "demand, linger")
        .allSatisfy((name, samples) -> assertThat(samples).isNotEmpty());
  }

  @Test
  void equalSeedsGiveEqualDays() {
    ConsumersDay one =
        new ConsumersDay(
            CapacityDay.usual(), new ContainersArrangement(ContainerSettings.usual(), 5), 5);
    ConsumersDay other =
        new ConsumersDay(
            CapacityDay.usual(), new ContainersArrangement(ContainerSettings.usual(), 5), 5);

    assertThat(one.run()).isEqualTo(other.run());
  }

  @Test
  void aStaticConfigurationThatDoesNotFitIsRefused() {
    CapacityDay small = CapacityDay.usual().withCluster(3, 2);

    assertThatThrownBy(() -> new CapacityComparison(small, ContainerSettings.usual(), 1.5, 1).run())
        .hasMessageContaining("does not fit on the nodes");
  }
}
