package io.millrace.manager.queue;

import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.manager.weights.InitialWeights;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives queues their first points and their missing segments; runs as a claimed duty. Each row
 * changes by compare-and-set, so that a row that somebody else has changed is looked at anew.
 */
final class WeightPlacement {
  private static final Logger LOGGER = LoggerFactory.getLogger(WeightPlacement.class);

  private final WeightRows weights;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final Runnable changed;

  /**
   * A placement.
   *
   * @param changed called after rows have changed; a hint
   */
  WeightPlacement(
      WeightRows weights, QueueDefinitions definitions, QueueNodes nodes, Runnable changed) {
    this.weights = weights;
    this.definitions = definitions;
    this.nodes = nodes;
    this.changed = changed;
  }

  /** Looks at every queue once. Blocks. */
  void place() {
    Map<String, QueueWeights> rows =
        weights.all().stream().collect(Collectors.toMap(QueueWeights::queue, Function.identity()));
    Map<String, Integer> live = new TreeMap<>();
    nodes.all().stream().filter(QueueNodeView::live).forEach(node -> live.put(node.name(), 0));
    rows.values().forEach(row -> count(live, row.points()));
    boolean any = false;
    for (VersionedQueue queue : definitions.all()) {
      any |= place(queue.definition(), rows.get(queue.definition().name()), live);
    }
    if (any) {
      changed.run();
    }
  }

  private boolean place(QueueDefinition queue, QueueWeights row, Map<String, Integer> live) {
    Map<String, Integer> before = row == null ? Map.of() : row.points();
    Optional<Map<String, Integer>> placed = InitialWeights.place(before, queue.minSegments(), live);
    if (placed.isEmpty()) {
      return false;
    }
    Map<String, Integer> points = placed.get();
    boolean done = row == null ? weights.add(queue.name(), points) : weights.replace(row, points);
    if (done) {
      LOGGER.info("the points of queue {} are {} now, {} before", queue.name(), points, before);
      points.forEach(
          (node, share) ->
              live.computeIfPresent(
                  node, (name, sum) -> sum + share - before.getOrDefault(node, 0)));
    }
    return done;
  }

  private static void count(Map<String, Integer> live, Map<String, Integer> points) {
    points.forEach((node, share) -> live.computeIfPresent(node, (name, sum) -> sum + share));
  }
}
