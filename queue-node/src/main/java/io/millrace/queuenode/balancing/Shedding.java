package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Sheds what an overloaded node has too much, and no more: what keeps it from leaving TOOBUSY,
 * first from the segment that carries most of it, in as few moves as there is room for. The
 * receivers are filled up to a little above the cluster's mean; none is overloaded, so that a
 * cluster which is overloaded as a whole moves nothing. Confined to one decision.
 */
@Pure
final class Shedding {
  private final ExpectedCluster expected;
  private final String self;
  private final BalancingSettings settings;
  private final ReceiverChoice receivers;
  private final PointLoads loads;
  private final double smallest;
  private final double limit;
  private final double excess;
  private final ShedMessages words;
  private int budget;

  Shedding(
      ExpectedCluster expected,
      String self,
      BalancingSettings settings,
      RowHistory history,
      long nowNanos) {
    LoadLimits limits = settings.limits();
    MovePace pace = settings.pace();
    double capacity = expected.node(self).capacity();
    this.expected = expected;
    this.self = self;
    this.settings = settings;
    this.limit = limits.forMean(mean(expected));
    this.smallest = limits.least() * capacity;
    this.excess = expected.load(self) - limits.shedTo() * capacity;
    this.receivers = new ReceiverChoice(expected, self, limit, settings, history, nowNanos);
    this.loads = new PointLoads(expected, self);
    this.words = new ShedMessages(expected, self, settings, excess, limit);
    this.budget =
        pace.budget(expected.queueCount()) - history.lost(self, pace.budgetSpan(), nowNanos);
  }

  /** The mean load of the nodes that take part, by capacity. */
  private static double mean(ExpectedCluster expected) {
    double load = 0;
    double capacity = 0;
    for (ObservedNode node : expected.nodes()) {
      if (expected.used(node.name()) || (expected.mayScaleOut() && ReceiverChoice.open(node))) {
        load += expected.load(node.name());
        capacity += node.capacity();
      }
    }
    return load / capacity;
  }

  /** Whether there is enough above the limit to matter. */
  boolean isNeeded() {
    return excess >= smallest;
  }

  boolean mayMove() {
    return budget > 0;
  }

  /** Adds the moves. */
  void plan(RandomGenerator random) {
    double left = excess;
    for (int i = 0; i < settings.pace().movesAtOnce() && left >= smallest; i++) {
      double moved = moveOne(left, random);
      if (moved == 0) {
        return;
      }
      left -= moved;
    }
  }

  private double moveOne(double left, RandomGenerator random) {
    List<ObservedQueue> byRelief =
        expected.queuesOf(self).stream()
            .sorted(
                Comparator.comparingDouble((ObservedQueue queue) -> -Math.min(carried(queue), left))
                    .thenComparingDouble(queue -> -carried(queue))
                    .thenComparing(ObservedQueue::name))
            .toList();
    for (ObservedQueue queue : byRelief) {
      double wanted = Math.min(carried(queue), left);
      if (wanted < smallest) {
        return 0;
      }
      double moved = move(queue, wanted, random);
      if (moved > 0) {
        return moved;
      }
    }
    return 0;
  }

  private double carried(ObservedQueue queue) {
    return expected.points(queue, self) * loads.of(queue);
  }

  private double move(ObservedQueue queue, double wanted, RandomGenerator random) {
    double perPoint = loads.of(queue);
    double least = Math.max(smallest, Math.min(carried(queue), split() * perPoint));
    ReceiverChoice.Choice receiver = receivers.choose(queue, wanted, least, random);
    if (receiver == null) {
      return 0;
    }
    int points = points(queue, wanted, receiver.node());
    if (points == 0) {
      return 0;
    }
    words.add(queue, points, carried(queue), receiver);
    expected.move(queue, self, receiver.node(), points, points * perPoint);
    budget -= points;
    return points * perPoint;
  }

  /** How many points: none when less than a segment would be moved, or remain (H-123). */
  private int points(ObservedQueue queue, double wanted, String to) {
    double perPoint = loads.of(queue);
    int held = expected.points(queue, self);
    int allowed = (int) Math.min(budget, Math.floor(receivers.room(to) / perPoint));
    boolean whole = held <= allowed && expected.mayMoveWhole(queue, to);
    int enough = PointLoads.measured(queue) ? (int) Math.ceil(wanted / perPoint - 1e-9) : held / 2;
    int points = Math.min(Math.max(enough, split()), allowed);
    int rest = held - points;
    if (rest <= 0 || rest < split() || rest * perPoint < smallest) {
      points = whole ? held : Math.min(points, held - split());
    }
    return points == held || points >= split() ? points : 0;
  }

  private int split() {
    return settings.pace().minWeight();
  }

  /** Whether load that was not measured is among what moves. */
  boolean isBlind() {
    return expected.queuesOf(self).stream().anyMatch(queue -> !PointLoads.measured(queue));
  }

  /** What was moved and why; to be asked when something was. */
  String moved() {
    return words.moved();
  }

  /** Why nothing was moved; to be asked when nothing was. */
  String shortage() {
    boolean carried =
        expected.queuesOf(self).stream().anyMatch(queue -> carried(queue) >= smallest);
    return carried ? words.noRoom() : words.notFromSegments();
  }
}
