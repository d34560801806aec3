package io.millrace.queuenode.store;

import java.time.Duration;

/**
 * Takes ready events, the oldest first.
 *
 * @param queue the queue's name
 * @param max at most so many events
 * @param maxBytes at most so many bytes, but at least one event
 * @param lease how long they are the caller's
 */
public record LeaseOrder(String queue, int max, long maxBytes, Duration lease) {

  /**
   * One event in the hands of a worker.
   *
   * @param receipt what acknowledges this delivery
   * @param attempt one more than the failures charged to the event
   * @param event as it was put
   */
  public record LeasedEvent(Receipt receipt, int attempt, NewEvent event) {}
}
