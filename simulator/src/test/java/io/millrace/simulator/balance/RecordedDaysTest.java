package io.millrace.simulator.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.simulator.balance.DayPlan.QueueProfile;
import io.millrace.simulator.pacing.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedDaysTest {
  private static final int HOUR = 3600;
  private static final int NOON = 12 * HOUR;

  @TempDir Path directory;

  @Test
  void ratesAreThoseOfTheTraceOnThatDay() throws IOException {
    RecordedDays days = RecordedDays.of(2, Map.of("a", rising("a")), 2, null);
    assertThat(rate(days, 1, 0, NOON)).isCloseTo(1, within(1e-9));
    assertThat(rate(days, 2, 0, NOON)).isCloseTo(2, within(1e-9));
    assertThat(rate(days, 1, 0, 24 * HOUR + NOON)).as("past its day").isCloseTo(2, within(1e-9));
  }

  @Test
  void allQueuesAreScaledByOneFactorToThePeakOfTheSimulatedDays() throws IOException {
    Map<String, Trace> traces = Map.of("a", rising("a"), "b", rising("b"));
    RecordedDays one = RecordedDays.of(2, traces, 1, 500.0);
    assertThat(rate(one, 1, 0, NOON) + rate(one, 1, 1, NOON)).isCloseTo(500, within(1e-6));
    RecordedDays two = RecordedDays.of(2, traces, 2, 500.0);
    assertThat(rate(two, 1, 0, NOON) + rate(two, 1, 1, NOON)).isCloseTo(250, within(1e-6));
    assertThat(two.text()).isEqualTo("2 nodes, 2 queues, together up to 500.0/s");
  }

  @Test
  void moreLoadThanOneNodeCanTakeIsSharedBetweenNodes() throws IOException {
    Map<String, Trace> traces = Map.of("a", rising("a"), "b", rising("b"));
    SimulationSettings world = SimulationSettings.usual();
    RecordedDays days = RecordedDays.of(4, traces, 1, 2 * world.nodeCapacity());
    DayResult result =
        new Day(
                days,
                BalancingPolicies.named("measured", BalancingSettings.of(world.states())),
                world,
                1)
            .run();
    assertThat(result.nodeHours()).isGreaterThan(3 * 23);
    assertThat(result.greatestBacklog()).isLessThan(world.nodeCapacity() * 600);
  }

  @Test
  void aTraceShorterThanTheDaysIsRefused() {
    assertThatThrownBy(() -> RecordedDays.of(2, Map.of("a", rising("a")), 3, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trace a has 2 whole days");
  }

  @Test
  void tracesWithoutEventsAreRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("none"), "0,0\n90000,0\n");
    Trace none = Trace.read(file);
    assertThatThrownBy(() -> RecordedDays.of(2, Map.of("none", none), 1, 10.0))
        .hasMessageContaining("have no events");
  }

  /** One event per second on the first day, two on the second. */
  private Trace rising(String name) throws IOException {
    List<String> lines = List.of("0," + 24 * HOUR, 24 * HOUR + "," + 48 * HOUR);
    return Trace.read(Files.write(directory.resolve(name), lines));
  }

  private static double rate(RecordedDays days, int day, int queue, double second) {
    List<QueueProfile> queues = days.queues(day, new SplittableRandom(1));
    return queues.get(queue).rate(second);
  }
}
