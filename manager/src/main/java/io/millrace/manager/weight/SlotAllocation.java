package io.millrace.manager.weight;

import io.millrace.api.MessageText;
import io.millrace.api.Pure;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.manager.weight.PointMoves.Refused;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Allocates the slots of a queue of sessions, as many to each node as it has points. Pure and
 * thread-safe.
 */
@Pure
final class SlotAllocation {
  private SlotAllocation() {}

  /**
   * The slots with the fewest changes of owners so that each node has as many as points. A node with
   * too many gives first those that owe no earlier owner anything, the last ones first; the nodes
   * with too few get consecutive ones as far as possible, in the order of their names. Each slot
   * that changes remembers who had it.
   */
  static SlotTable fitted(SlotTable before, Map<String, Integer> points) {
    Map<String, Integer> missing = new TreeMap<>(points);
    List<Integer> given = new ArrayList<>();
    before
        .points()
        .forEach(
            (node, held) -> {
              int kept = points.getOrDefault(node, 0);
              missing.merge(node, -Math.min(held, kept), Integer::sum);
              given.addAll(given(before, node, Math.max(0, held - kept)));
            });
    given.sort(Comparator.naturalOrder());
    SlotTable fitted = before;
    int next = 0;
    for (Map.Entry<String, Integer> taker : missing.entrySet()) {
      if (taker.getValue() > 0) {
        List<Integer> taken = given.subList(next, next + taker.getValue());
        fitted = fitted.with(taken, owner -> owner.passedTo(taker.getKey()));
        next += taken.size();
      }
    }
    return fitted;
  }

  private static List<Integer> given(SlotTable table, String node, int count) {
    Comparator<Integer> owing =
        Comparator.comparing(slot -> !table.owner(slot).undrained().isEmpty());
    return table.slotsOf(node).stream()
        .sorted(owing.thenComparing(Comparator.reverseOrder()))
        .limit(count)
        .toList();
  }

  /**
   * The slots after moves that nodes request.
   *
   * @param row with its slots
   * @throws Refused when a slot is not the giver's, or still waits for the events of an earlier
   *     owner
   */
  static SlotTable moved(QueueWeights row, Collection<WeightMove> moves) throws Refused {
    SlotTable slots = row.slots();
    for (WeightMove move : moves) {
      check(slots, move);
      slots = slots.with(move.slots(), owner -> owner.passedTo(move.to()));
    }
    return slots;
  }

  private static void check(SlotTable slots, WeightMove move) throws Refused {
    for (int slot : move.slots()) {
      SlotOwner owner = slots.owner(slot);
      if (!owner.node().equals(move.from())) {
        throw new Refused(
            "slot %d of %s is of %s, not of %s; decide again by the row in force"
                .formatted(slot, move.queue(), owner.node(), move.from()));
      }
      if (!owner.undrained().isEmpty()) {
        throw new Refused(
            "slot %d of %s still waits for the events of %s, and moves when they have arrived; choose other slots"
                .formatted(slot, move.queue(), String.join(", ", owner.undrained())));
      }
    }
  }

  /** What is wrong with the slots that a move names; null for nothing. */
  static String problem(WeightMove move, boolean ofSessions) {
    if (!ofSessions) {
      return move.slots().isEmpty()
          ? null
          : move.queue() + " has no sessions, so that a move of its points names no slots";
    }
    if (move.slots().size() != move.points()
        || new HashSet<>(move.slots()).size() != move.points()) {
      return "%s has sessions: a move of %s names as many different slots, not %d"
          .formatted(
              move.queue(),
              MessageText.counted(move.points(), "point"),
              new HashSet<>(move.slots()).size());
    }
    boolean within =
        move.slots().stream().allMatch(slot -> slot >= 0 && slot < SlotTable.SLOTS);
    return within ? null : "slots are numbers from 0 to 999, not " + move.slots();
  }

  /**
   * The slots without an earlier owner that will not send its events any more.
   *
   * @param node that owner
   */
  static SlotTable without(SlotTable slots, String node) {
    return slots.with(owed(slots, node), owner -> owner.drained(node));
  }

  /** The slots that still wait for the events of an earlier owner. */
  static List<Integer> owed(SlotTable slots, String node) {
    return slots.ranges().stream()
        .filter(range -> range.owner().undrained().contains(node))
        .flatMapToInt(range -> IntStream.rangeClosed(range.from(), range.to()))
        .boxed()
        .toList();
  }
}
