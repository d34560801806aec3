package io.millrace.api.weight;

import java.time.Duration;
import java.util.UUID;

/**
 * Asks a queue node to keep room for load that is about to move to it, so that several givers do
 * not flood one receiver.
 *
 * @param id made by the giver
 * @param from the giver's name
 * @param queue the queue
 * @param points points that will come
 * @param load load that will come, in units of an ordinary node's capacity
 * @param ttl how long the room is kept
 */
public record Reservation(
    UUID id, String from, String queue, int points, double load, Duration ttl) {

  /**
   * Whether the room is kept.
   *
   * @param granted whether it is
   * @param reason why not; null when it is
   */
  public record ReservationAnswer(boolean granted, String reason) {}
}
