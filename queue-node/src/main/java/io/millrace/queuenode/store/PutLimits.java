package io.millrace.queuenode.store;

import io.millrace.api.queue.QueueWeights;

/**
 * How much of a queue a segment takes: limits of the whole queue, of which it has a share by its
 * weight. Pure.
 *
 * @param maxEvents unfinished events of the queue
 * @param maxBytes size of all events kept of the queue; 0 for no limit
 * @param maxRate events per second of the queue; 0 for no limit
 * @param weight the segment's points of 1000
 */
public record PutLimits(long maxEvents, long maxBytes, double maxRate, int weight) {
  /** Of a segment that has all the weight of a queue with no other limit. */
  public static PutLimits ofEvents(long maxEvents) {
    return new PutLimits(maxEvents, 0, 0, QueueWeights.TOTAL);
  }

  /** Unfinished events that the segment takes, at least one. */
  long events() {
    return Math.max(1, share(maxEvents));
  }

  /** Bytes that the segment keeps; no limit is the largest number. */
  long bytes() {
    return maxBytes == 0 ? Long.MAX_VALUE : Math.max(1, share(maxBytes));
  }

  /** Events per second that the segment takes; 0 for no limit. */
  double rate() {
    return maxRate * weight / QueueWeights.TOTAL;
  }

  private long share(long whole) {
    // In this order, because the limit times the weight may be too large for a long.
    return whole / QueueWeights.TOTAL * weight
        + whole % QueueWeights.TOTAL * weight / QueueWeights.TOTAL;
  }
}
