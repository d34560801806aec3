package io.millrace.queuenode.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import io.millrace.queuenode.load.SegmentLoadRule.SegmentCounters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class SegmentLoadRuleTest {
  private static final Map<String, SegmentLoad> NOTHING = Map.of();

  private final SegmentLoadRule unsmoothed = new SegmentLoadRule(1);

  @Example
  void ratesAreTheIncreaseOfTheCountersPerSecond() {
    SegmentLoad load =
        unsmoothed
            .next(
                NOTHING,
                Map.of("alert", new SegmentCounters(100, 50, 9_000, 0)),
                Map.of("alert", new SegmentCounters(120, 60, 10_000, 500_000_000)),
                2)
            .get("alert");
    assertThat(load).isEqualTo(new SegmentLoad(10, 5, 500, 0.25, 1));
  }

  @Example
  void aNewSampleCountsForItsShareOfTheSmoothedRate() {
    SegmentLoadRule rule = new SegmentLoadRule(0.2);
    Map<String, SegmentLoad> loads = NOTHING;
    SegmentCounters last = SegmentCounters.NONE;
    for (double expected : new double[] {2, 3.6, 4.88}) {
      SegmentCounters next = new SegmentCounters(last.puts() + 10, 0, 0, 0);
      loads = rule.next(loads, Map.of("alert", last), Map.of("alert", next), 1);
      last = next;
      assertThat(loads.get("alert").puts()).isEqualTo(expected, within(1e-9));
    }
  }

  @Example
  void theShareIsThePartOfTheStoresTimeWhateverTheNumberOfEvents() {
    Map<String, SegmentLoad> loads =
        unsmoothed.next(
            NOTHING,
            Map.of(),
            Map.of(
                "many", new SegmentCounters(900, 900, 0, 100_000_000),
                "heavy", new SegmentCounters(10, 10, 0, 300_000_000)),
            1);
    assertThat(loads.get("many").share()).isEqualTo(0.25, within(1e-9));
    assertThat(loads.get("heavy").share()).isEqualTo(0.75, within(1e-9));
  }

  @Example
  void withoutStoreTimeTheShareIsThePartOfTheEvents() {
    Map<String, SegmentLoad> loads =
        unsmoothed.next(
            NOTHING,
            Map.of(),
            Map.of(
                "one", new SegmentCounters(30, 0, 0, 0), "other", new SegmentCounters(5, 5, 0, 0)),
            1);
    assertThat(loads.get("one").share()).isEqualTo(0.75, within(1e-9));
    assertThat(loads.get("other").share()).isEqualTo(0.25, within(1e-9));
  }

  @Example
  void anInactiveSegmentHasNoShare() {
    Map<String, SegmentCounters> resting = Map.of("alert", new SegmentCounters(7, 7, 7, 7));
    assertThat(unsmoothed.next(NOTHING, resting, resting, 1))
        .containsEntry("alert", SegmentLoad.NONE);
  }

  @Property
  void sharesAreNeverNegativeAndSumToOneOrToNothing(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 5_000) Integer> events,
      @ForAll @LongRange(max = 1_000_000_000) long nanosPerEvent) {
    Map<String, SegmentCounters> counted = new HashMap<>();
    for (int i = 0; i < events.size(); i++) {
      int here = events.get(i);
      counted.put("queue" + i, new SegmentCounters(here, here, here, here * nanosPerEvent));
    }
    Map<String, SegmentLoad> loads = new SegmentLoadRule(0.2).next(NOTHING, Map.of(), counted, 1);
    double sum = loads.values().stream().mapToDouble(SegmentLoad::share).sum();
    boolean silent = events.stream().allMatch(here -> here == 0);
    assertThat(sum).isEqualTo(silent ? 0 : 1, within(1e-9));
    assertThat(loads.values()).allMatch(load -> load.share() >= 0);
  }
}
