package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.QueueWeights;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PlacedPointsTest {
  @Test
  void aNewQueueGoesToTheNodesWithTheFewestPoints() {
    Map<String, Integer> live = Map.of("q1", 2000, "q2", 500, "q3", 0);

    assertThat(place(Map.of(), 2, live)).contains(Map.of("q3", 500, "q2", 500));
  }

  @Test
  void pointsThatDoNotDivideEvenlyGoToTheFirstOnes() {
    assertThat(place(Map.of(), 3, Map.of("q1", 0, "q2", 0, "q3", 0)))
        .contains(Map.of("q1", 334, "q2", 333, "q3", 333));
  }

  @Test
  void aNodeThatJoinsAQueueWithTooFewSegmentsTakesItsShareFromTheLargestHolder() {
    Map<String, Integer> live = Map.of("q1", 900, "q2", 100, "q3", 0);

    assertThat(place(Map.of("q1", 900, "q2", 100), 3, live))
        .contains(Map.of("q1", 567, "q2", 100, "q3", 333));
  }

  @Test
  void withoutALiveNodeNothingIsPlaced() {
    assertThat(place(Map.of(), 2, Map.of())).isEmpty();
  }

  @Test
  void aSilentHolderKeepsItsPoints() {
    assertThat(place(Map.of("q1", 500, "q2", 500), 2, Map.of("q2", 500, "q3", 0))).isEmpty();
  }

  @Property
  void firstPointsAreEqualAndSumTo1000(
      @ForAll @IntRange(min = 1, max = 20) int minSegments,
      @ForAll("nodes") Map<String, Integer> live) {
    Map<String, Integer> placed = place(Map.of(), minSegments, live).orElseThrow();

    assertThat(new QueueWeights("any", 1, placed).points())
        .hasSize(Math.min(minSegments, live.size()));
    int max = placed.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    int fewest = placed.values().stream().mapToInt(Integer::intValue).min().orElseThrow();
    assertThat(max - fewest).isLessThanOrEqualTo(1);
  }

  @Property
  void theMinimumIsRestoredAndNobodyGainsButTheNewSegments(
      @ForAll @IntRange(min = 1, max = 20) int minSegments,
      @ForAll("rows") Map<String, Integer> before,
      @ForAll("nodes") Map<String, Integer> live) {
    Map<String, Integer> alive = new HashMap<>(live);
    before.forEach((node, points) -> alive.merge(node, points, Integer::sum));
    Optional<Map<String, Integer>> placed = place(before, minSegments, alive);

    int wanted = Math.max(before.size(), Math.min(minSegments, alive.size()));
    Map<String, Integer> after = placed.orElse(before);
    assertThat(new QueueWeights("any", 1, after).points()).hasSize(wanted);
    assertThat(placed.isPresent()).isEqualTo(wanted > before.size());
    before.forEach((node, points) -> assertThat(after.get(node)).isLessThanOrEqualTo(points));
    int moved = before.keySet().stream().mapToInt(node -> before.get(node) - after.get(node)).sum();
    assertThat(moved).isEqualTo((wanted - before.size()) * (1000 / wanted));
  }

  @Property
  void placingOnceIsEnough(
      @ForAll @IntRange(min = 1, max = 20) int minSegments,
      @ForAll("nodes") Map<String, Integer> live) {
    Map<String, Integer> placed = place(Map.of(), minSegments, live).orElseThrow();

    assertThat(place(placed, minSegments, live)).isEmpty();
  }

  @Test
  void theMostCapableNodesGetTheFirstPointsInProportion() {
    List<WeightCandidate> live =
        List.of(
            new WeightCandidate("q1", 0, 0.25, 0),
            new WeightCandidate("q2", 0, 1, 0),
            new WeightCandidate("q3", 0, 3, 0));

    assertThat(PointAllocation.place(Map.of(), 2, live)).contains(Map.of("q2", 251, "q3", 749));
  }

  @Test
  void aWeakNodeIsFullWithFewerPointsThanAStrongOne() {
    List<WeightCandidate> live =
        List.of(new WeightCandidate("q1", 500, 0.25, 0), new WeightCandidate("q2", 900, 1, 0));

    assertThat(PointAllocation.place(Map.of(), 1, live)).contains(Map.of("q2", 1000));
  }

  /** Nodes of ordinary capacity with these points. */
  private static Optional<Map<String, Integer>> place(
      Map<String, Integer> points, int minSegments, Map<String, Integer> live) {
    List<WeightCandidate> nodes =
        live.entrySet().stream()
            .map(node -> new WeightCandidate(node.getKey(), node.getValue(), 1, 0))
            .toList();
    return PointAllocation.place(points, minSegments, nodes);
  }

  @Provide
  Arbitrary<Map<String, Integer>> nodes() {
    return Arbitraries.maps(names(), Arbitraries.integers().between(0, 5000))
        .ofMinSize(1)
        .ofMaxSize(12);
  }

  /** Rows of one to five holders that sum to 1000. */
  @Provide
  Arbitrary<Map<String, Integer>> rows() {
    Arbitrary<Map<String, Integer>> shares =
        Arbitraries.maps(names(), Arbitraries.integers().between(1, 190)).ofMinSize(1).ofMaxSize(5);
    return Combinators.combine(shares, Arbitraries.randomValue(random -> random.nextInt()))
        .as(
            (points, any) -> {
              Map<String, Integer> row = new HashMap<>(points);
              int sum = row.values().stream().mapToInt(Integer::intValue).sum();
              row.merge(row.keySet().iterator().next(), 1000 - sum, Integer::sum);
              return row;
            });
  }

  private static Arbitrary<String> names() {
    return Arbitraries.integers().between(1, 30).map(number -> "q" + number);
  }
}
