package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Gives all weight of a node away. Confined to one decision.
 *
 * <p>The heaviest segments go first, each whole where it fits and in parts where it does not. While
 * a queue has no segments to spare, its points go to a node that holds none of it (H-070, H-124).
 */
@Pure
final class Emptying {
  private final Board board;
  private final String self;
  private final int minWeight;
  private final PointLoads loads;

  Emptying(Board board, String self, int minWeight) {
    this.board = board;
    this.self = self;
    this.minWeight = minWeight;
    this.loads = new PointLoads(board, self);
  }

  /**
   * Moves everything to nodes of the given groups, none filled beyond its group's limit.
   *
   * @param groups to be tried one after the other for each segment
   * @return whether all found a place; the board is of no use otherwise
   */
  boolean into(List<Group> groups) {
    List<QueueFacts> heaviestFirst =
        board.queuesOf(self).stream()
            .sorted(
                Comparator.comparingDouble((QueueFacts queue) -> -carried(queue))
                    .thenComparing(QueueFacts::name))
            .toList();
    for (QueueFacts queue : heaviestFirst) {
      while (board.points(queue, self) > 0) {
        if (!moveSome(queue, groups)) {
          return false;
        }
      }
    }
    return true;
  }

  private double carried(QueueFacts queue) {
    return board.points(queue, self) * loads.of(queue);
  }

  private boolean moveSome(QueueFacts queue, List<Group> groups) {
    for (Group group : groups) {
      Optional<String> whole = receiver(queue, group, carried(queue));
      if (whole.isPresent()) {
        move(queue, whole.get(), board.points(queue, self));
        return true;
      }
      Optional<String> part = receiver(queue, group, 2 * minWeight * loads.of(queue));
      if (part.isPresent() && board.points(queue, self) >= 2 * minWeight) {
        move(queue, part.get(), part(queue, part.get(), group.limit()));
        return true;
      }
    }
    return false;
  }

  private int part(QueueFacts queue, String to, double limit) {
    int held = board.points(queue, self);
    int fits = (int) Math.floor(board.room(to, limit) / loads.of(queue));
    return Math.max(minWeight, Math.min(fits, held - minWeight));
  }

  private void move(QueueFacts queue, String to, int points) {
    board.move(queue, self, to, points, points * loads.of(queue));
  }

  private Optional<String> receiver(QueueFacts queue, Group group, double load) {
    return group.nodes().stream()
        .filter(node -> group.merges() || board.mayMoveWhole(queue, node.name()))
        .filter(node -> board.room(node.name(), group.limit()) >= load)
        .max(
            Comparator.comparingInt((NodeFacts node) -> group.capable() ? node.capacityClass() : 0)
                .thenComparing(node -> board.points(queue, node.name()) > 0)
                .thenComparingDouble(node -> board.room(node.name(), 1))
                .thenComparing(NodeFacts::name))
        .map(NodeFacts::name);
  }

  /**
   * Nodes that are equally welcome; of them, one that holds the queue is taken first, then the one
   * with most room.
   *
   * @param nodes the nodes
   * @param limit load that none is filled beyond, 0 to 1
   * @param capable whether the most capable come before all
   * @param merges whether a queue may fall below its minimum of segments
   */
  record Group(List<NodeFacts> nodes, double limit, boolean capable, boolean merges) {}
}
