package io.millrace.manager.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** The free slots of a pool while they are given out. Not thread-safe; lives for one plan. */
final class FreeSlots {
  // Names are unique; they make the order total, hence the plan deterministic.
  private static final Comparator<Room> MOST_FREE_FIRST =
      Comparator.comparingInt((Room room) -> -room.free).thenComparing(room -> room.node.name());

  private final TreeSet<Room> roomiest = new TreeSet<>(MOST_FREE_FIRST);
  private final Map<String, List<Room>> beside = new HashMap<>();
  private int widestNode;

  FreeSlots(List<OpenNode> nodes) {
    for (OpenNode node : nodes) {
      Room room = new Room(node);
      roomiest.add(room);
      if (node.near() != null) {
        beside.computeIfAbsent(node.near(), near -> new ArrayList<>()).add(room);
      }
      widestNode = Math.max(widestNode, node.slots());
    }
  }

  /** Slots of the largest node, booked ones included; 0 without nodes. */
  int widestNode() {
    return widestNode;
  }

  /** Books slots on the best node that has them. */
  Optional<OpenNode> take(int slots, String near) {
    Room room =
        beside.getOrDefault(near, List.of()).stream()
            .filter(candidate -> candidate.free >= slots)
            .min(MOST_FREE_FIRST)
            .orElseGet(roomiest::first);
    if (slots == 0) {
      room = fewestPrograms();
    }
    if (room.free < slots) {
      return Optional.empty();
    }
    roomiest.remove(room);
    room.free -= slots;
    room.programs += slots == 0 ? 1 : 0;
    roomiest.add(room);
    return Optional.of(room.node);
  }

  /** What takes no slots is spread by number. */
  private Room fewestPrograms() {
    return roomiest.stream()
        .filter(room -> room.free >= 0)
        .min(Comparator.comparingInt((Room room) -> room.programs).thenComparing(MOST_FREE_FIRST))
        .orElseGet(roomiest::first);
  }

  private static final class Room {
    private final OpenNode node;
    private int free;
    private int programs;

    Room(OpenNode node) {
      this.node = node;
      this.free = node.free();
    }
  }
}
