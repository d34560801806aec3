package io.millrace.simulator.containers;

import io.millrace.simulator.containers.CapacityDay.TaskType;
import io.millrace.simulator.containers.ConsumerNode.Container;
import io.millrace.simulator.pacing.Arrivals;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.WaitingEvents;
import io.millrace.simulator.pacing.Waits;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes with containers of consumers, simulated second by second. Events are distributed to the
 * consumers of their kind in turn. Events on a lost node, or on one that has lost the last
 * container of a kind, move to the others of that kind once they detect it. Used by one thread.
 */
final class ConsumerCluster {
  private final CapacityDay day;
  private final List<TaskType> types;
  private final List<ConsumerNode> nodes = new ArrayList<>();
  private final List<Arrivals> arrivals = new ArrayList<>();
  private final List<WaitingEvents> unassigned = new ArrayList<>();
  private final int[] turns;
  private int moves;
  private int starts;
  private int stops;

  ConsumerCluster(CapacityDay day, long seed) {
    this(day, day.types(), seed);
  }

  ConsumerCluster(CapacityDay day, List<TaskType> types, long seed) {
    this.day = day;
    this.types = List.copyOf(types);
    for (int i = 0; i < day.nodes(); i++) {
      nodes.add(new ConsumerNode(day.slots(), types.size(), day.secondsPerEvent()));
    }
    for (int type = 0; type < types.size(); type++) {
      arrivals.add(new Arrivals(day.curve(types.get(type)), Spread.POISSON, seed * 31 + type));
      unassigned.add(new WaitingEvents(1));
    }
    this.turns = new int[types.size()];
  }

  /** Simulates a second: events arrive, and consumers work. */
  void pass(long step) {
    accidents(step);
    for (int type = 0; type < types.size(); type++) {
      unassigned.get(type).arrive(step, arrivals.get(type).until(step + 1.0));
      deal(type);
    }
    for (ConsumerNode node : nodes) {
      if (node.alive()) {
        node.work(step);
      }
    }
  }

  private void accidents(long step) {
    ConsumerNode lost = nodes.get(0);
    if (step == Math.round(day.lossFrom())) {
      lost.lose();
    }
    if (step == Math.round(day.lossFrom() + day.noticed())) {
      types.forEach(type -> redistribute(lost, types.indexOf(type)));
    }
    if (step == Math.round(day.lossFrom() + day.lossSeconds())) {
      lost.recover();
    }
  }

  /** Distributes the events over the containers in turn. */
  private void deal(int type) {
    WaitingEvents events = unassigned.get(type);
    if (events.waiting() == 0) {
      return;
    }
    List<ConsumerNode> turn = new ArrayList<>();
    for (ConsumerNode node : nodes) {
      for (int i = node.alive() ? node.consumers(type) : 0; i > 0; i--) {
        turn.add(node);
      }
    }
    if (turn.isEmpty()) {
      return;
    }
    long share = events.waiting() / turn.size();
    for (ConsumerNode node : share > 0 ? turn : List.<ConsumerNode>of()) {
      node.segment(type).takeOver(events, share);
    }
    while (events.waiting() > 0) {
      turns[type] = (turns[type] + 1) % turn.size();
      turn.get(turns[type]).segment(type).takeOver(events, 1);
    }
  }

  /** Redistributes events without a consumer. */
  private void redistribute(ConsumerNode from, int type) {
    if (!from.holds(type)) {
      unassigned.get(type).takeOver(from.segment(type), Long.MAX_VALUE);
    }
  }

  void start(ConsumerNode node, Container container) {
    node.containers().add(container);
    starts++;
  }

  void stop(ConsumerNode node, Container container) {
    node.containers().remove(container);
    redistribute(node, container.type());
    stops++;
  }

  /** Moves a container to another node (H-261). */
  void move(ConsumerNode from, Container container, ConsumerNode to, long readyAt) {
    from.containers().remove(container);
    to.containers().add(new Container(container.type(), container.consumers(), readyAt));
    redistribute(from, container.type());
    moves++;
  }

  CapacityDay day() {
    return day;
  }

  List<TaskType> types() {
    return types;
  }

  List<ConsumerNode> nodes() {
    return nodes;
  }

  int moves() {
    return moves;
  }

  int starts() {
    return starts;
  }

  int stops() {
    return stops;
  }

  /** Number of existing consumers. */
  int held() {
    return nodes.stream().mapToInt(ConsumerNode::consumers).sum();
  }

  long waiting(int type) {
    long waiting = unassigned.get(type).waiting();
    for (ConsumerNode node : nodes) {
      waiting += node.segment(type).waiting();
    }
    return waiting;
  }

  /** Age of the oldest waiting event of any kind, in seconds. */
  double oldest(long step) {
    long oldest = 0;
    for (int type = 0; type < types.size(); type++) {
      oldest = Math.max(oldest, unassigned.get(type).oldest(step));
      for (ConsumerNode node : nodes) {
        oldest = Math.max(oldest, node.segment(type).oldest(step));
      }
    }
    return oldest;
  }

  Waits waits() {
    Waits all = new Waits();
    nodes.forEach(
        node -> types.forEach(type -> all.add(node.segment(types.indexOf(type)).waits())));
    return all;
  }
}
