package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.QueueWeights;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReassignedPointsTest {
  @Test
  void thePointsOfALostNodeGoToTheOtherHoldersByFreeCapacity() {
    List<WeightCandidate> live =
        List.of(
            new WeightCandidate("q1", 0, 1, 0.5), new WeightCandidate("q2", 0, 1, 0.0), node("q4"));

    assertThat(heal(Map.of("q1", 300, "q2", 400, "q3", 300), Set.of("q3"), 2, live))
        .contains(Map.of("q1", 400, "q2", 600));
  }

  @Test
  void aQueueBelowItsMinimumGetsANewSegmentOnTheNodeWithMostFreeCapacity() {
    List<WeightCandidate> live =
        List.of(
            new WeightCandidate("q1", 0, 1, 0.0),
            new WeightCandidate("q3", 0, 1, 0.6),
            new WeightCandidate("q4", 0, 0.25, 0.0),
            new WeightCandidate("q5", 0, 1, 0.5));

    assertThat(heal(Map.of("q1", 500, "q2", 500), Set.of("q2"), 2, live))
        .contains(Map.of("q1", 833, "q5", 167));
  }

  @Test
  void aSegmentOnANodeThatTakesNothingCountsButGetsNothing() {
    assertThat(heal(Map.of("q1", 600, "q2", 400), Set.of("q2"), 2, List.of(node("q3"))))
        .contains(Map.of("q1", 600, "q3", 400));
    assertThat(heal(Map.of("q1", 600, "q2", 400), Set.of("q2"), 1, List.of(node("q3"))))
        .contains(Map.of("q1", 600, "q3", 400));
  }

  @Test
  void whenNoNodeCanTakeThePointsTheyStay() {
    assertThat(heal(Map.of("q1", 600, "q2", 400), Set.of("q1", "q2"), 2, List.of())).isEmpty();
  }

  @Test
  void fullNodesTakeThePointsToo() {
    List<WeightCandidate> live =
        List.of(new WeightCandidate("q1", 0, 1, 1.0), new WeightCandidate("q2", 0, 1, 1.0));

    assertThat(heal(Map.of("q1", 300, "q2", 300, "q3", 400), Set.of("q3"), 2, live))
        .contains(Map.of("q1", 500, "q2", 500));
  }

  @Property
  void theSumIs1000AndNobodyLosesAPointButTheLost(@ForAll("losses") Loss loss) {
    Optional<Map<String, Integer>> healed = loss.heal();
    boolean something = loss.row.keySet().stream().anyMatch(loss.lost::contains);

    assertThat(healed.isPresent()).isEqualTo(something && !loss.live.isEmpty());
    healed.ifPresent(
        points -> {
          assertThat(new QueueWeights("any", 2, points).points()).doesNotContainKeys(loss.names());
          loss.row.forEach(
              (node, before) -> {
                if (!loss.lost.contains(node)) {
                  assertThat(points.get(node)).isGreaterThanOrEqualTo(before);
                }
              });
        });
  }

  @Property
  void theMinimumIsRestoredWhileEnoughNodesLive(@ForAll("losses") Loss loss) {
    Map<String, Integer> points = loss.heal().orElse(loss.row);
    if (points.equals(loss.row)) {
      return;
    }
    Set<String> reachable = new TreeSet<>(loss.row.keySet());
    reachable.removeAll(loss.lost);
    int orphaned =
        loss.row.entrySet().stream()
            .filter(entry -> loss.lost.contains(entry.getKey()))
            .mapToInt(Map.Entry::getValue)
            .sum();
    int survivors = reachable.size();
    loss.live.forEach(node -> reachable.add(node.name()));
    int possible = Math.min(reachable.size(), survivors + orphaned);
    assertThat(points.size()).isGreaterThanOrEqualTo(Math.min(loss.minSegments, possible));
  }

  @Property
  void pointsOnlyGoToThoseWhoMayHaveThemAndAsFewNewSegmentsAsNeededBegin(
      @ForAll("losses") Loss loss) {
    loss.heal()
        .ifPresent(
            points -> {
              Set<String> takers = new TreeSet<>();
              loss.live.forEach(node -> takers.add(node.name()));
              points.forEach(
                  (node, after) -> {
                    if (after > loss.row.getOrDefault(node, 0)) {
                      assertThat(takers).contains(node);
                    }
                  });
              long began = points.keySet().stream().filter(n -> !loss.row.containsKey(n)).count();
              long kept = points.size() - began;
              assertThat(began).isLessThanOrEqualTo(Math.max(1, loss.minSegments - kept));
            });
  }

  @Property
  void theOutcomeDoesNotDependOnTheOrderOfTheNodes(@ForAll("losses") Loss loss, @ForAll int seed) {
    List<WeightCandidate> shuffled = new ArrayList<>(loss.live);
    Collections.shuffle(shuffled, new Random(seed));

    assertThat(heal(loss.row, loss.lost, loss.minSegments, shuffled)).isEqualTo(loss.heal());
  }

  @Property
  void healingOnceIsEnough(@ForAll("losses") Loss loss) {
    loss.heal()
        .ifPresent(
            points -> assertThat(heal(points, loss.lost, loss.minSegments, loss.live)).isEmpty());
  }

  @Property
  void sharesByLargestRemainderAreWithinOnePointOfTheExactOnes(
      @ForAll @IntRange(max = 1000) int points, @ForAll("weights") Map<String, Double> weights) {
    Map<String, Integer> shares = PointAllocation.divide(points, weights);
    double sum = weights.values().stream().mapToDouble(Double::doubleValue).sum();

    assertThat(shares.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(points);
    weights.forEach(
        (name, weight) -> {
          double exact = sum > 0 ? points * weight / sum : (double) points / weights.size();
          assertThat(Math.abs(shares.get(name) - exact)).isLessThan(1 + 1e-6);
        });
  }

  /** A queue's row when these nodes are lost and those live. */
  record Loss(
      Map<String, Integer> row, Set<String> lost, int minSegments, List<WeightCandidate> live) {
    Optional<Map<String, Integer>> heal() {
      return ReassignedPointsTest.heal(row, lost, minSegments, live);
    }

    String[] names() {
      return lost.toArray(String[]::new);
    }
  }

  @Provide
  Arbitrary<Loss> losses() {
    Arbitrary<Map<String, Integer>> rows =
        Arbitraries.maps(names(), Arbitraries.integers().between(1, 120)).ofMinSize(1).ofMaxSize(8);
    return Combinators.combine(
            rows,
            names().set().ofMaxSize(5),
            Arbitraries.integers().between(1, 6),
            Combinators.combine(
                    names(),
                    Arbitraries.doubles().between(0.1, 4),
                    Arbitraries.doubles().between(0, 1))
                .as((name, capacity, load) -> new WeightCandidate(name, 0, capacity, load))
                .list()
                .uniqueElements(WeightCandidate::name)
                .ofMaxSize(10))
        .as(
            (row, lost, minSegments, live) ->
                new Loss(
                    complete(row),
                    lost,
                    minSegments,
                    live.stream().filter(node -> !lost.contains(node.name())).toList()));
  }

  private static Map<String, Integer> complete(Map<String, Integer> shares) {
    Map<String, Integer> row = new HashMap<>(shares);
    int sum = row.values().stream().mapToInt(Integer::intValue).sum();
    row.merge(row.keySet().iterator().next(), 1000 - sum, Integer::sum);
    return row;
  }

  @Provide
  Arbitrary<Map<String, Double>> weights() {
    return Arbitraries.maps(names(), Arbitraries.doubles().between(0, 5)).ofMinSize(1);
  }

  private static Arbitrary<String> names() {
    return Arbitraries.integers().between(1, 12).map(number -> "q" + number);
  }

  private static WeightCandidate node(String name) {
    return new WeightCandidate(name, 0, 1, 0);
  }

  private static Optional<Map<String, Integer>> heal(
      Map<String, Integer> points, Set<String> lost, int minSegments, List<WeightCandidate> live) {
    return PointAllocation.reassign(points, lost, minSegments, live);
  }
}
