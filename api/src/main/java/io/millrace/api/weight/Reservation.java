package io.millrace.api.weight;

import java.time.Duration;
import java.util.UUID;

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
