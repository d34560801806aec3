package io.millrace.tests.drill.network;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Recent text of one direction of a connection, to find text that is split across two reads. */
final class RecentText {
  private static final int KEPT = 256;

  private final Direction direction;
  private final List<TrafficTrigger> wires;
  private final Traffic traffic;
  private String tail = "";

  /** The traffic is that of the direction. */
  RecentText(Direction direction, List<TrafficTrigger> wires, Traffic traffic) {
    this.direction = direction;
    this.wires = wires;
    this.traffic = traffic;
  }

  Direction direction() {
    return direction;
  }

  /** The trigger that these bytes fire. */
  Optional<TrafficTrigger> fired(byte[] bytes, int length) {
    String seen = tail + new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    traffic.seen(seen, tail.length());
    tail = seen.substring(Math.max(0, seen.length() - KEPT));
    for (TrafficTrigger wire : wires) {
      if (wire.direction() == direction && seen.contains(wire.words()) && wire.taken()) {
        return Optional.of(wire);
      }
    }
    return Optional.empty();
  }
}
