package io.millrace.simulator.balance;

import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the events of a simulated day. Not thread-safe. */
final class DayRecord {
  private static final double MINUTE = 60;

  private final SimulationSettings settings;
  private final Map<String, Double> passed = new HashMap<>();
  private final Map<String, Double> emptied = new HashMap<>();
  private final Overload[] overloads;
  private final double[] left;
  private final List<Overload> over = new ArrayList<>();
  private final List<DaySample> samples = new ArrayList<>();
  private final DayCounts counts = new DayCounts();
  private double clusterSince = -1;

  DayRecord(SimulationSettings settings, int nodes) {
    this.settings = settings;
    this.overloads = new Overload[nodes];
    this.left = new double[nodes];
    Arrays.fill(left, Double.NEGATIVE_INFINITY);
  }

  /** Records a tick. */
  void tick(List<SimulatedNode> nodes, double elapsed) {
    double minutes = settings.tickSeconds() / MINUTE;
    boolean any = false;
    for (int i = 0; i < nodes.size(); i++) {
      SimulatedNode node = nodes.get(i);
      ObservedNode facts = node.facts();
      boolean tooBusy = facts.state() == NodeState.TOOBUSY;
      any |= tooBusy;
      state(i, tooBusy, elapsed);
      counts.nodeMinutes += facts.state() == NodeState.IDLE ? 0 : minutes;
      counts.tooBusyMinutes += tooBusy ? minutes : 0;
      counts.overCapacityMinutes += node.arriving() > settings.nodeCapacity() ? minutes : 0;
      counts.greatestBacklog = Math.max(counts.greatestBacklog, node.backlog());
    }
    cluster(any, elapsed);
    if (elapsed % MINUTE < settings.tickSeconds()) {
      samples.add(DaySample.of(elapsed, nodes));
    }
  }

  private void state(int node, boolean tooBusy, double elapsed) {
    if (tooBusy && overloads[node] == null) {
      overloads[node] = new Overload();
      counts.flaps += elapsed - left[node] < settings.flapWindow().toSeconds() ? 1 : 0;
    } else if (!tooBusy && overloads[node] != null) {
      over.add(overloads[node]);
      overloads[node] = null;
      left[node] = elapsed;
    }
  }

  private void cluster(boolean any, double elapsed) {
    if (any && clusterSince < 0) {
      clusterSince = elapsed;
    } else if (!any && clusterSince >= 0) {
      counts.calmings++;
      counts.calmMinutes += (elapsed - clusterSince) / MINUTE;
      clusterSince = -1;
    }
  }

  /** Records a decision that was carried out. */
  void moved(BalancingDecision decision, int self, String cause, double elapsed) {
    boolean shed = decision.kind() == BalancingKind.SHED;
    for (PlannedMove planned : decision.moves()) {
      WeightMove move = planned.move();
      counts.shedMoves += shed ? 1 : 0;
      counts.scaleInMoves += shed ? 0 : 1;
      counts.points += move.points();
      counts.pingPongs += isReverse(move, elapsed) ? 1 : 0;
      Double since = emptied.remove(move.to());
      if (since != null && elapsed - since < settings.reverseWindow().toSeconds()) {
        counts.returns++;
      }
    }
    if (shed && overloads[self] != null) {
      overloads[self].round(
          decision.moves().stream().anyMatch(planned -> planned.move().queue().equals(cause)));
    }
    if (!shed) {
      emptied.put(decision.moves().get(0).move().from(), elapsed);
    }
  }

  private boolean isReverse(WeightMove move, double elapsed) {
    passed.put(move.queue() + " " + move.from() + " " + move.to(), elapsed);
    Double back = passed.get(move.queue() + " " + move.to() + " " + move.from());
    return back != null && elapsed - back < settings.reverseWindow().toSeconds();
  }

  void refused() {
    counts.refusals++;
  }

  void shortage() {
    counts.shortages++;
  }

  DayResult result() {
    for (Overload still : overloads) {
      if (still != null) {
        over.add(still);
      }
    }
    return counts.result(over);
  }

  List<DaySample> samples() {
    return List.copyOf(samples);
  }

  /** Counters of a day. Not thread-safe. */
  private static final class DayCounts {
    int flaps;
    int shedMoves;
    int scaleInMoves;
    long points;
    int pingPongs;
    int returns;
    int refusals;
    int shortages;
    int calmings;
    double calmMinutes;
    double tooBusyMinutes;
    double overCapacityMinutes;
    double greatestBacklog;
    double nodeMinutes;

    DayResult result(List<Overload> overloads) {
      List<Overload> met = overloads.stream().filter(overload -> overload.rounds() > 0).toList();
      return new DayResult(
          overloads.size(),
          overloads.size() - met.size(),
          (int) met.stream().filter(overload -> overload.hitAt() == 1).count(),
          met.stream().mapToInt(Overload::rounds).average().orElse(0),
          met.stream().mapToInt(Overload::rounds).max().orElse(0),
          calmings == 0 ? 0 : calmMinutes / calmings,
          flaps,
          shedMoves,
          scaleInMoves,
          points,
          pingPongs,
          returns,
          refusals,
          shortages,
          tooBusyMinutes,
          overCapacityMinutes,
          greatestBacklog,
          nodeMinutes / 60);
    }
  }

  /** A period in which a node is TOOBUSY. Not thread-safe. */
  private static final class Overload {
    private int rounds;
    private int hitAt;

    /** Records a selection; the cause is the queue with the most events. */
    void round(boolean movedTheCause) {
      rounds++;
      if (movedTheCause && hitAt == 0) {
        hitAt = rounds;
      }
    }

    int rounds() {
      return rounds;
    }

    /** Number of the selection that first moved the cause; 0 if none did. */
    int hitAt() {
      return hitAt;
    }
  }
}
