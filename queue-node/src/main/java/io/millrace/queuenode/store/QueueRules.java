package io.millrace.queuenode.store;

import java.time.Duration;

/**
 * What a queue's definition says of the life of its events.
 *
 * @param limits when an event is given up
 * @param retention how long an event waits before it becomes a dead letter; null for ever
 * @param deadRetention how long a dead letter is kept; null for ever
 */
public record QueueRules(DeliveryLimits limits, Duration retention, Duration deadRetention) {
  /** Of a queue that keeps its events for ever. */
  public static QueueRules of(DeliveryLimits limits) {
    return new QueueRules(limits, null, null);
  }

  /**
   * When an event is given up.
   *
   * @param maxAttempts failures charged to the event
   * @param maxReturns deliveries lost without its fault
   */
  public record DeliveryLimits(int maxAttempts, int maxReturns) {}
}
