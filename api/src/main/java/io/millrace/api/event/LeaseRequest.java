package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Asks for events to work on.
 *
 * @param max the most events to lease, 1 to 10,000
 * @param lease how long they are leased; null for the lease of the queue's definition
 * @param patience how long to wait for a first event, at most 20 s; null or zero not to wait
 * @param worker who leases them, shown to users; null if unknown
 */
public record LeaseRequest(int max, Duration lease, Duration patience, String worker) {

  /**
   * The events leased by one request, in the order they became ready.
   *
   * @param events possibly none
   * @param lease how long they are leased, from the time of the answer
   */
  public record Lease(List<DeliveredEvent> events, Duration lease) {}

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

  /** Why an event was returned unfinished. */
  public enum RefusalKind {
    /**
     * The worker failed. Charged to the event if it was alone in its batch; after a failed batch
     * its events are delivered one by one, so that the poison event is isolated.
     */
    FAILED,
    /** A lost node, a drain or a failed start: counted separately, with a higher limit. */
    RETURNED,
    /**
     * All workers of the queue fail on every event: not charged to the events, which are still
     * delivered in batches. Queue nodes derive it from FAILED.
     */
    EXCUSED
  }
}
