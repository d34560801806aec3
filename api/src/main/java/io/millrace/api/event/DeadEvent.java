package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * An event that was given up, with the reason.
 *
 * @param handle names this dead letter, and no other, on any node: {@code node/number}
 * @param id the event's id
 * @param queue its queue
 * @param node the queue node that holds it
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 * @param reason the last refusal's words
 * @param diedAt when it was given up
 * @param attributes as sent; null for none
 * @param data as sent
 */
public record DeadEvent(
    String handle,
    String id,
    String queue,
    String node,
    int failures,
    int returns,
    String reason,
    Instant diedAt,
    Map<String, String> attributes,
    JsonNode data) {

  /**
   * Chooses dead letters; every condition that is given must hold. Without any, {@code all} must be
   * said.
   *
   * @param handles of these handles; null for any
   * @param ids of events with these ids; null for any
   * @param reasonContains whose reason holds this text; null for any
   * @param olderThan that died at least so long ago; null for any
   * @param all every dead letter of the queue
   * @param max at most so many, the oldest first; null for all
   */
  public record DeadSelection(
      List<String> handles,
      List<String> ids,
      String reasonContains,
      Duration olderThan,
      boolean all,
      Integer max) {
    public DeadSelection {
      handles = handles == null ? null : List.copyOf(handles);
      ids = ids == null ? null : List.copyOf(ids);
    }

    /** Whether no condition is given. */
    public boolean unbounded() {
      return handles == null && ids == null && reasonContains == null && olderThan == null;
    }
  }
}
