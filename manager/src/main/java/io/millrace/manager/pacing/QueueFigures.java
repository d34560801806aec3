package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.time.Duration;

/**
 * One segment of a queue as its node reports it.
 *
 * @param waiting events that a worker could take now: not delayed, not leased
 * @param leased events that workers hold
 * @param inserted events put for the first time since the store began; redeliveries do not count,
 *     so that retries are not taken for demand
 * @param acknowledged events finished since the store began
 * @param oldestAge age of the oldest waiting event; zero when none waits
 * @param nodeState the load of the node that holds the segment
 */
@Pure
public record QueueFigures(
    long waiting,
    long leased,
    long inserted,
    long acknowledged,
    Duration oldestAge,
    NodeState nodeState) {
  public QueueFigures {
    if (waiting < 0 || leased < 0 || inserted < 0 || acknowledged < 0 || oldestAge.isNegative()) {
      throw new IllegalArgumentException("figures of a segment cannot be negative");
    }
  }
}
