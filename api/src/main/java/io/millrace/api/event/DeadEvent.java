package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A dead letter: an event that is no longer delivered, with the reason.
 *
 * @param handle identifies this dead letter in the cluster: {@code node/number}
 * @param id the event's id
 * @param queue its queue
 * @param node the queue node that holds it
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 * @param reason the reason of the last refusal
 * @param diedAt when it became a dead letter
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
   * A dead letter that was requeued with other data.
   *
   * @param original as it was; its handle is not valid any more
   * @param data what the event has now
   */
  public record ChangedDeadEvent(DeadEvent original, JsonNode data) {}

  /**
   * Selects dead letters that meet all conditions given. Without a condition, {@code all} must be
   * set.
   *
   * @param handles with one of these handles; null for any
   * @param ids with one of these event ids; null for any
   * @param reasonContains whose reason contains this text; null for any
   * @param olderThan that became dead letters at least that long ago; null for any
   * @param all every dead letter of the queue
   * @param max at most this number, the oldest first; null for all
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
