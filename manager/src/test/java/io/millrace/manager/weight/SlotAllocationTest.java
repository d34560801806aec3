package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.session.SlotTable.SlotRange;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotAllocationTest {
  @Test
  void slotsThatAreTooManyGoToWhoHasTooFewAndAreOwedByWhoHadThem() {
    SlotTable before = SlotTable.of(Map.of("q1", 500, "q2", 500));

    SlotTable after = SlotAllocation.fitted(before, Map.of("q1", 300, "q2", 500, "q3", 200));

    assertThat(after.ranges())
        .containsExactly(
            new SlotRange(0, 299, new SlotOwner("q1", 1, List.of())),
            new SlotRange(300, 499, new SlotOwner("q3", 2, List.of("q1"))),
            new SlotRange(500, 999, new SlotOwner("q2", 1, List.of())));
  }

  @Test
  void whoeverTakesTwoPartsOfALostNodeKeepsWhatItHadAndAllOthersKeepTheirs() {
    SlotTable before = SlotTable.of(Map.of("q1", 100, "q2", 600, "q3", 300));

    SlotTable after = SlotAllocation.fitted(before, Map.of("q1", 400, "q3", 600));

    assertThat(after.ranges())
        .containsExactly(
            new SlotRange(0, 99, new SlotOwner("q1", 1, List.of())),
            new SlotRange(100, 399, new SlotOwner("q1", 2, List.of("q2"))),
            new SlotRange(400, 699, new SlotOwner("q3", 2, List.of("q2"))),
            new SlotRange(700, 999, new SlotOwner("q3", 1, List.of())));
  }

  @Test
  void whatAlreadyFitsIsNotTouched() {
    SlotTable table = SlotTable.of(Map.of("q1", 999, "q2", 1));

    assertThat(SlotAllocation.fitted(table, table.points())).isEqualTo(table);
  }

  @Test
  void slotsThatStillWaitForAnEarlierOwnerAreGivenLast() {
    SlotTable before =
        SlotTable.of(Map.of("q1", 500, "q2", 500))
            .with(List.of(999, 998, 997), owner -> new SlotOwner("q2", 2, List.of("q9")));

    SlotTable after = SlotAllocation.fitted(before, Map.of("q1", 502, "q2", 498));

    assertThat(after.owner(996)).isEqualTo(new SlotOwner("q1", 2, List.of("q2")));
    assertThat(after.owner(995)).isEqualTo(new SlotOwner("q1", 2, List.of("q2")));
    assertThat(after.owner(999)).isEqualTo(before.owner(999));
  }

  @Test
  void thePointsAlwaysHoldAndNoMoreSlotsMoveThanPoints() {
    Random random = new Random(7);
    SlotTable table = SlotTable.of(points(random));
    for (int round = 0; round < 200; round++) {
      Map<String, Integer> points = points(random);
      SlotTable before = table;
      SlotTable after = SlotAllocation.fitted(before, points);

      assertThat(after.points()).isEqualTo(points);
      long moved =
          IntStream.range(0, SlotTable.SLOTS)
              .filter(slot -> !after.owner(slot).equals(before.owner(slot)))
              .count();
      long gained =
          points.entrySet().stream()
              .mapToLong(
                  one ->
                      Math.max(0, one.getValue() - before.points().getOrDefault(one.getKey(), 0)))
              .sum();
      assertThat(moved).isEqualTo(gained);
      table = after;
    }
  }

  private static Map<String, Integer> points(Random random) {
    List<Integer> cuts =
        random.ints(1 + random.nextInt(4), 1, 1000).distinct().boxed().sorted(Comparator.naturalOrder()).toList();
    Map<String, Integer> points = new TreeMap<>();
    int last = 0;
    for (int cut : cuts) {
      points.put("q" + points.size(), cut - last);
      last = cut;
    }
    points.put("q9", 1000 - last);
    return points;
  }
}
