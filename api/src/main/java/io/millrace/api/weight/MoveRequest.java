package io.millrace.api.weight;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.queue.QueueWeights;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Asks a central manager to change weight rows as decided by a node: all moves or none.
 *
 * @param id chosen by the node; a request repeated with the same id is carried out once
 * @param node who decided
 * @param kind why
 * @param policy the policy
 * @param moves empty for a shortage, which is only recorded
 * @param reason human-readable
 * @param inputs the figures it was based on
 */
public record MoveRequest(
    UUID id,
    String node,
    BalancingKind kind,
    String policy,
    List<WeightMove> moves,
    String reason,
    JsonNode inputs) {
  public MoveRequest {
    moves = moves == null ? List.of() : List.copyOf(moves);
  }

  /**
   * The weight rows after the moves.
   *
   * @param rows of the queues of the moves
   * @param repeated whether an earlier request of the same id had carried them out
   */
  public record MoveAnswer(List<QueueWeights> rows, boolean repeated) {}

  /**
   * Points of a queue that go from one node to another.
   *
   * @param queue the queue
   * @param version the version of the weight row on which the decision was based
   * @param from the giving node's name
   * @param to the receiving node's name
   * @param points at least 1
   * @param slots of a queue of sessions: the slots, as many as points, which the giver has sealed;
   *     empty for any other queue
   */
  public record WeightMove(
      String queue,
      long version,
      String from,
      String to,
      int points,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Integer> slots) {
    public WeightMove {
      slots = slots == null ? List.of() : List.copyOf(slots);
    }

    /** Of a queue without sessions. */
    public WeightMove(String queue, long version, String from, String to, int points) {
      this(queue, version, from, to, points, List.of());
    }
  }

  /**
   * Asks a queue node to reserve capacity for load that is about to move to it, so that several
   * givers do not overload one receiver.
   *
   * @param id chosen by the giver
   * @param from the giver's name
   * @param queue the queue
   * @param points points that will come
   * @param load load that will come, in units of a standard node's capacity
   * @param ttl how long the capacity is reserved
   */
  public record Reservation(
      UUID id, String from, String queue, int points, double load, Duration ttl) {

    /**
     * The answer to a reservation.
     *
     * @param granted whether the capacity is reserved
     * @param reason why not; null when it is
     */
    public record ReservationAnswer(boolean granted, String reason) {}
  }
}
