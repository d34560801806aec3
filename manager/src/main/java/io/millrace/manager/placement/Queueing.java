package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whose turn it is: by priority, raised by waiting; then the share that has come least far; then
 * the oldest job.
 *
 * <p>Lines of one priority age together, by the oldest job that some node could take. If each aged
 * by itself, those with the longer backlog would soon overtake by age, whatever the weights of
 * their shares; and one that can never run would lift others. Not thread-safe; lives for one plan.
 */
@Pure
final class Queueing {
  private final Instant now;
  private final PlacementSettings settings;
  private final Comparator<Waiting> order;
  private final Map<Integer, List<Waiting>> byPriority = new TreeMap<>();

  Queueing(Instant now, PlacementSettings settings, Turns turns) {
    this.now = now;
    this.settings = settings;
    this.order =
        Comparator.comparingDouble((Waiting line) -> turns.pass(line.shape().share()))
            .thenComparing(line -> line.head().readyAt())
            .thenComparingLong(Waiting::shapeId);
  }

  void add(Waiting line) {
    byPriority.computeIfAbsent(line.shape().priority(), none -> new ArrayList<>()).add(line);
  }

  void remove(Waiting line) {
    byPriority.computeIfPresent(
        line.shape().priority(),
        (priority, lines) -> {
          lines.remove(line);
          return lines.isEmpty() ? null : lines;
        });
  }

  /** The line whose head is next; null when none is left. */
  Waiting next() {
    int highest = Integer.MIN_VALUE;
    Waiting first = null;
    for (Map.Entry<Integer, List<Waiting>> entry : byPriority.entrySet()) {
      int priority = entry.getKey() + steps(entry.getValue());
      if (first == null || priority >= highest) {
        Waiting best = entry.getValue().stream().min(order).orElseThrow();
        boolean before = first == null || priority > highest || order.compare(best, first) < 0;
        first = before ? best : first;
        highest = priority;
      }
    }
    return first;
  }

  /** All that are left, in no order that matters. */
  List<Waiting> left() {
    return byPriority.values().stream().flatMap(Collection::stream).toList();
  }

  private int steps(List<Waiting> lines) {
    Instant oldest = now;
    for (Waiting line : lines) {
      ReadyJob head = line.head();
      if (head.readyAt().isBefore(oldest) && line.contender().possible(head)) {
        oldest = head.readyAt();
      }
    }
    long steps = Duration.between(oldest, now).toNanos() / settings.ageing().toNanos();
    return (int) Math.min(steps, settings.mostSteps());
  }
}
