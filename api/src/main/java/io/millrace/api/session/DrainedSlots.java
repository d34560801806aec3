package io.millrace.api.session;

import java.util.Map;

/**
 * Tells a central manager that all events of slots have arrived that an earlier owner still held,
 * so that the weight row no longer names it.
 *
 * @param queue as in the path; null for that
 * @param node the node that has the slots
 * @param from the earlier owner
 * @param slots the slots, with the epoch under which the node has each of them; what the row no
 *     longer says so is ignored
 */
public record DrainedSlots(String queue, String node, String from, Map<Integer, Long> slots) {
  public DrainedSlots {
    slots = slots == null ? Map.of() : Map.copyOf(slots);
  }
}
