package io.millrace.api.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * An event with everything that its store knows about it, as backups contain it. Immutable.
 *
 * @param seq its number in the store; numbers rise with the order of arrival
 * @param id its id
 * @param data JSON text on one line
 * @param attributes a JSON object of strings as text; null for none
 * @param priority 0 to 9, higher first
 * @param state READY, DELAYED, LEASED or DEAD
 * @param storedAt wall time in milliseconds
 * @param heldAt wall time in milliseconds at which its delay or lease began, or at which it was
 *     returned or died; 0 for never
 * @param holdMillis length of its delay or lease; 0 for none
 * @param deliveries how often it was delivered
 * @param alone whether it is delivered singly
 * @param failures failures charged to it
 * @param returns deliveries lost through no fault of the event
 * @param reason why it is a dead letter; null for others, or if unknown
 * @param diedAt wall time in milliseconds; 0 for events that are not dead
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record StoredEvent(
    long seq,
    String id,
    String data,
    String attributes,
    int priority,
    String state,
    long storedAt,
    long heldAt,
    long holdMillis,
    int deliveries,
    boolean alone,
    int failures,
    int returns,
    String reason,
    long diedAt) {

  /**
   * Events of one queue in the order of their numbers.
   *
   * @param version of the queue's definition under which its segment began
   * @param events as they were when the page was read
   * @param next pass it as {@code after} for the next page; null after the last one
   */
  public record StoredEvents(int version, List<StoredEvent> events, Long next) {}

  /**
   * What a queue node's store holds.
   *
   * @param node the node's name
   * @param id the node's id
   * @param term how often the store was opened
   * @param lastSeq the highest number of an event so far; 0 for none
   * @param queues events that are not acknowledged, dead letters included, by queue
   */
  public record StoreSummary(
      String node, UUID id, long term, long lastSeq, Map<String, Long> queues) {}
}
