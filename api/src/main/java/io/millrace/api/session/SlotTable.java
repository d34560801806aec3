package io.millrace.api.session;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Which queue node has which slots of a queue of sessions, as part of its weight row: one slot for
 * each point. Immutable.
 *
 * @param ranges of slots with the same owner, ascending, from 0 to 999 without gaps
 */
@Pure
public record SlotTable(@JsonValue List<SlotRange> ranges) {
  /** How many slots each queue of sessions has: as many as a queue has points. */
  public static final int SLOTS = 1000;

  @JsonCreator
  public SlotTable {
    ranges = joined(ranges);
    int next = 0;
    for (SlotRange range : ranges) {
      if (range.from() != next || range.to() < range.from()) {
        throw new IllegalArgumentException("the slots are not ranges from 0 to 999: " + ranges);
      }
      next = range.to() + 1;
    }
    if (next != SLOTS) {
      throw new IllegalArgumentException("the slots are not ranges from 0 to 999: " + ranges);
    }
  }

  /** Gives each node as many consecutive slots as it has points, in the order of their names. */
  public static SlotTable of(Map<String, Integer> points) {
    List<SlotRange> ranges = new ArrayList<>();
    int next = 0;
    for (Map.Entry<String, Integer> share : new TreeMap<>(points).entrySet()) {
      ranges.add(
          new SlotRange(
              next, next + share.getValue() - 1, new SlotOwner(share.getKey(), 1, List.of())));
      next += share.getValue();
    }
    return new SlotTable(ranges);
  }

  private static List<SlotRange> joined(List<SlotRange> ranges) {
    List<SlotRange> joined = new ArrayList<>();
    for (SlotRange range : ranges) {
      SlotRange last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && last.owner().equals(range.owner()) && last.to() + 1 == range.from()) {
        joined.set(joined.size() - 1, new SlotRange(last.from(), range.to(), last.owner()));
      } else {
        joined.add(range);
      }
    }
    return List.copyOf(joined);
  }

  /** Who has a slot. */
  public SlotOwner owner(int slot) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).to() < slot) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return ranges.get(low).owner();
  }

  /** The points of each node that has slots: how many it has. */
  public Map<String, Integer> points() {
    Map<String, Integer> points = new TreeMap<>();
    ranges.forEach(range -> points.merge(range.owner().node(), range.size(), Integer::sum));
    return points;
  }

  /** The slots of a node, ascending. */
  public List<Integer> slotsOf(String node) {
    List<Integer> slots = new ArrayList<>();
    for (SlotRange range : ranges) {
      if (range.owner().node().equals(node)) {
        for (int slot = range.from(); slot <= range.to(); slot++) {
          slots.add(slot);
        }
      }
    }
    return slots;
  }

  /**
   * The same with other owners of some slots.
   *
   * @param change gives the new owner of a slot's present one
   */
  public SlotTable with(List<Integer> slots, UnaryOperator<SlotOwner> change) {
    SlotOwner[] owners = new SlotOwner[SLOTS];
    for (SlotRange range : ranges) {
      for (int slot = range.from(); slot <= range.to(); slot++) {
        owners[slot] = range.owner();
      }
    }
    slots.forEach(slot -> owners[slot] = change.apply(owners[slot]));
    List<SlotRange> changed = new ArrayList<>();
    for (int slot = 0; slot < SLOTS; slot++) {
      changed.add(new SlotRange(slot, slot, owners[slot]));
    }
    return new SlotTable(changed);
  }

  /** The same with higher epochs, after a restoration of an earlier table. */
  public SlotTable raised(long by) {
    return new SlotTable(
        ranges.stream()
            .map(
                range ->
                    new SlotRange(
                        range.from(),
                        range.to(),
                        new SlotOwner(
                            range.owner().node(),
                            range.owner().epoch() + by,
                            range.owner().undrained())))
            .toList());
  }

  /**
   * The owner of slots.
   *
   * @param node the queue node's name
   * @param epoch rises with each change of the owner, from 1
   * @param undrained earlier owners whose events of these slots have not all arrived, the earliest
   *     first
   */
  public record SlotOwner(String node, long epoch, List<String> undrained) {
    public SlotOwner {
      undrained = undrained == null ? List.of() : List.copyOf(undrained);
    }

    /** The next owner, to whom this one and those before it still owe their events. */
    public SlotOwner passedTo(String next) {
      List<String> before = new ArrayList<>(undrained);
      before.remove(node);
      before.add(node);
      // A node that gets slots back has what it held itself.
      before.remove(next);
      return new SlotOwner(next, epoch + 1, before);
    }

    /** The same when all events of an earlier owner have arrived. */
    public SlotOwner drained(String earlier) {
      List<String> left = new ArrayList<>(undrained);
      left.remove(earlier);
      return new SlotOwner(node, epoch, left);
    }
  }

  /** Consecutive slots of one owner, both ends included. */
  public record SlotRange(int from, int to, SlotOwner owner) {
    int size() {
      return to - from + 1;
    }
  }
}
