package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One event in the hands of a worker. As a worker reads it on its input it has no receipt.
 *
 * @param receipt what acknowledges this delivery, and only this one
 * @param id the event's id
 * @param queue its queue
 * @param attempt 1 for the first try, one more for each failure charged to the event
 * @param attributes as sent; null for none
 * @param data as sent
 */
public record DeliveredEvent(
    String receipt,
    String id,
    String queue,
    int attempt,
    Map<String, String> attributes,
    JsonNode data) {
  /** The same event as a worker's input line shows it. */
  public DeliveredEvent withoutReceipt() {
    return new DeliveredEvent(null, id, queue, attempt, attributes, data);
  }
}
