package io.millrace.api.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.api.ErrorCode;
import java.util.List;

/**
 * The result of sending a batch, which is stored completely or not at all; of a queue of sessions,
 * each event for itself.
 *
 * @param queue the queue
 * @param batch the batch's name; events without a producer's id get the ids {@code batch-0}, {@code
 *     batch-1} …
 * @param accepted events of the batch that are stored
 * @param repeated whether the batch was stored by an earlier request of the same name
 * @param node the queue node that holds it; of a queue of sessions, the nodes, with commas
 * @param refused events of a queue of sessions that are not stored; sent again in the same batch,
 *     those that are stored are not stored twice
 */
public record SendAnswer(
    String queue,
    String batch,
    int accepted,
    boolean repeated,
    String node,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<RefusedEvent> refused) {
  public SendAnswer {
    refused = refused == null ? List.of() : List.copyOf(refused);
  }

  /** A batch that is stored completely. */
  public SendAnswer(String queue, String batch, int accepted, boolean repeated, String node) {
    this(queue, batch, accepted, repeated, node, List.of());
  }

  /**
   * An event that was not stored.
   *
   * @param index its place in the batch, from 0
   * @param id its id
   * @param key of its session; null if it has none
   * @param code why
   * @param message human-readable
   */
  public record RefusedEvent(int index, String id, String key, ErrorCode code, String message) {}
}
