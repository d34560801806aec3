package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import io.millrace.queuenode.balancing.BalancingSettings.LoadLimits;
import io.millrace.queuenode.balancing.BalancingSettings.MovePace;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * Sheds only the excess of an overloaded node, which keeps it from leaving TOOBUSY: first from the
 * segment that carries most of it, in as few moves as capacity allows. Receivers are filled to
 * slightly above the cluster's mean load and never overloaded, so a cluster that is overloaded as a
 * whole moves nothing. Confined to one decision.
 */
@Pure
final class Shedding {
  private final ExpectedCluster expected;
  private final String self;
  private final BalancingSettings settings;
  private final ReceiverChoice receivers;
  private final PointLoads loads;
  private final double minMove;
  private final double limit;
  private final double excess;
  private final ShedMessages messages;
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
    this.minMove = limits.minMove() * capacity;
    this.excess = expected.load(self) - limits.shedTo() * capacity;
    this.receivers = new ReceiverChoice(expected, self, limit, settings, history, nowNanos);
    this.loads = new PointLoads(expected, self);
    this.messages = new ShedMessages(expected, self, settings, excess, limit);
    this.budget =
        pace.budget(expected.queueCount()) - history.lost(self, pace.budgetSpan(), nowNanos);
  }

  /** The mean load of the nodes that are used or may be, weighted by capacity. */
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
    return excess >= minMove;
  }

  boolean mayMove() {
    return budget > 0;
  }

  /** Adds the moves. */
  void plan(RandomGenerator random) {
    double left = excess;
    for (int i = 0; i < settings.pace().movesAtOnce() && left >= minMove; i++) {
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
      double load = Math.min(carried(queue), left);
      if (load < minMove) {
        return 0;
      }
      double moved = move(queue, load, random);
      if (moved > 0) {
        return moved;
      }
    }
    return 0;
  }

  private double carried(ObservedQueue queue) {
    return expected.points(queue, self) * loads.of(queue);
  }

  private double move(ObservedQueue queue, double load, RandomGenerator random) {
    double perPoint = loads.of(queue);
    double minLoad = Math.max(minMove, Math.min(carried(queue), split() * perPoint));
    ReceiverChoice.Choice receiver = receivers.choose(queue, load, minLoad, random);
    if (receiver == null) {
      return 0;
    }
    int points = points(queue, load, receiver.node());
    if (points == 0) {
      return 0;
    }
    messages.add(queue, points, carried(queue), receiver);
    expected.move(queue, self, receiver.node(), points, points * perPoint);
    budget -= points;
    return points * perPoint;
  }

  /** How many points to move: none if less than a segment would be moved, or remain (H-123). */
  private int points(ObservedQueue queue, double load, String to) {
    double perPoint = loads.of(queue);
    int held = expected.points(queue, self);
    int allowed = (int) Math.min(budget, Math.floor(receivers.spareCapacity(to) / perPoint));
    boolean whole = held <= allowed && expected.mayMoveWhole(queue, to);
    int enough = PointLoads.measured(queue) ? (int) Math.ceil(load / perPoint - 1e-9) : held / 2;
    int points = Math.min(Math.max(enough, split()), allowed);
    int rest = held - points;
    if (rest <= 0 || rest < split() || rest * perPoint < minMove) {
      points = whole ? held : Math.min(points, held - split());
    }
    return points == held || points >= split() ? points : 0;
  }

  private int split() {
    return settings.pace().minWeight();
  }

  /** Whether some of the load that may move was not measured. */
  boolean isBlind() {
    return expected.queuesOf(self).stream().anyMatch(queue -> !PointLoads.measured(queue));
  }

  /** What was moved and why; called only if something was moved. */
  String moved() {
    return messages.moved();
  }

  /** Why nothing was moved; called only in that case. */
  String shortage() {
    boolean carried = expected.queuesOf(self).stream().anyMatch(queue -> carried(queue) >= minMove);
    return carried ? messages.noReceiver() : messages.noHeavySegment();
  }

  /**
   * Explains why load was shed or could not be shed, with the figures. Confined to one decision.
   */
  @Pure
  private static final class ShedMessages {
    private final ExpectedCluster expected;
    private final String self;
    private final double limit;
    private final String trigger;
    private final List<String> what = new ArrayList<>();
    private final List<String> why = new ArrayList<>();

    ShedMessages(
        ExpectedCluster expected,
        String self,
        BalancingSettings settings,
        double excess,
        double limit) {
      this.expected = expected;
      this.self = self;
      this.limit = limit;
      double load = expected.node(self).utilisation();
      LoadLimits limits = settings.limits();
      String over =
          load >= limits.tooBusyEnter()
              ? format("%.2f > %.2f", load, limits.tooBusyEnter())
              : format("%.2f, TOOBUSY until below %.2f,", load, limits.tooBusyLeave());
      this.trigger =
          format(
              "%s at %s for %d ticks, excess %.2f",
              self, over, settings.pace().ticksOver(), excess / expected.node(self).capacity());
    }

    /** Adds a move; called before it is applied. */
    void add(ObservedQueue queue, int points, double carried, ReceiverChoice.Choice receiver) {
      String to = receiver.node();
      what.add(format("%d points of %s from %s to %s", points, queue.name(), self, to));
      String chosen =
          receiver.other() == null
              ? "was the only one with capacity"
              : "had the most capacity of " + to + " and " + receiver.other();
      why.add(
          format(
              "%s carries %.2f of it, %s at %.2f %s",
              queue.name(),
              carried / expected.node(self).capacity(),
              to,
              expected.utilisation(to),
              chosen));
    }

    String moved() {
      return "moved " + String.join(" and ", what) + ": " + trigger + ", " + String.join("; ", why);
    }

    /** Why nothing could be moved if no segment causes enough load to matter. */
    String noHeavySegment() {
      return trigger + ", but none of its segments carries enough of that to be moved";
    }

    /** Why nothing could be moved. */
    String noReceiver() {
      int closed = 0;
      int busy = 0;
      int unused = 0;
      int full = 0;
      for (ObservedNode node : expected.nodes()) {
        if (node.name().equals(self)) {
          continue;
        }
        if (!node.accepts()) {
          closed++;
        } else if (node.state() == NodeState.BUSY || node.state() == NodeState.TOOBUSY) {
          busy++;
        } else if (!expected.used(node.name()) && !expected.mayScaleOut()) {
          unused++;
        } else {
          full++;
        }
      }
      List<String> rest = new ArrayList<>();
      add(rest, busy, "BUSY or TOOBUSY");
      add(
          rest,
          full,
          format(
              "too close to the limit of %.2f or recently gave away points of the same queue",
              limit));
      add(rest, unused, "unused while most used ones are NORMAL");
      add(rest, closed, "not accepting");
      return trigger
          + (rest.isEmpty()
              ? ", and it sees no other queue node: check membership in the nodes' configuration"
              : ", and no node has capacity for a part of it: " + String.join(", ", rest));
    }

    private static void add(List<String> rest, int nodes, String what) {
      if (nodes > 0) {
        rest.add(nodes + " " + what);
      }
    }

    private static String format(String pattern, Object... values) {
      return String.format(Locale.ROOT, pattern, values);
    }
  }

  /**
   * The load of one point of a queue on its node, κ, in absolute units. A queue that was not
   * measured is assumed to cause its share, by points, of the node's load that the measured ones do
   * not explain.
   */
  @Pure
  static final class PointLoads {
    private final double unknown;

    PointLoads(ExpectedCluster expected, String self) {
      double unexplained = expected.load(self);
      int points = 0;
      for (ObservedQueue queue : expected.queuesOf(self)) {
        int own = expected.points(queue, self);
        if (measured(queue)) {
          unexplained -= own * queue.loadPerPoint();
        } else {
          points += own;
        }
      }
      this.unknown = points == 0 ? 0 : Math.max(0, unexplained) / points;
    }

    static boolean measured(ObservedQueue queue) {
      return !Double.isNaN(queue.loadPerPoint());
    }

    double of(ObservedQueue queue) {
      return measured(queue) ? queue.loadPerPoint() : unknown;
    }
  }
}
