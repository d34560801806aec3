package io.millrace.queuenode.store;

import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import java.util.List;

/**
 * Stores a batch once, however often it is requested.
 *
 * @param queue the queue's name
 * @param batch the batch's name, remembered for ten minutes
 * @param events at least one
 * @param limits the segment's limits
 * @param versions of the queue's definition
 */
public record PutOrder(
    String queue, String batch, List<NewEvent> events, PutLimits limits, QueueVersions versions) {
  /** A batch for a segment with this limit of unfinished events. */
  public PutOrder(String queue, String batch, List<NewEvent> events, long maxEvents) {
    this(queue, batch, events, PutLimits.ofEvents(maxEvents));
  }

  /** A batch of a queue that was never deleted, whose version is unknown. */
  public PutOrder(String queue, String batch, List<NewEvent> events, PutLimits limits) {
    this(queue, batch, events, limits, QueueVersions.UNKNOWN);
  }

  /** Size of all its events. */
  public long bytes() {
    long bytes = 0;
    for (NewEvent event : events) {
      bytes += event.bytes();
    }
    return bytes;
  }

  /**
   * The versions of a queue's definition as the node that accepts a batch knows them.
   *
   * @param inForce the version in force
   * @param deleted the latest version that was deleted; 0 for none
   */
  public record QueueVersions(int inForce, int deleted) {
    /** Of a queue that was never deleted. */
    public static final QueueVersions UNKNOWN = new QueueVersions(0, 0);
  }

  /**
   * The outcome of a batch.
   *
   * @param accepted events in it
   * @param repeated whether it was stored earlier under the same name
   */
  public record PutOutcome(int accepted, boolean repeated) {}

  /**
   * A segment's share, by weight, of its queue's limits. Pure.
   *
   * @param maxEvents unfinished events of the queue
   * @param maxBytes size of all stored events of the queue; 0 for no limit
   * @param maxRate events per second of the queue; 0 for no limit
   * @param weight the segment's points of 1000
   */
  public record PutLimits(long maxEvents, long maxBytes, double maxRate, int weight) {
    /** Those of a definition for a segment with this weight. */
    public static PutLimits of(QueueDefinition definition, int weight) {
      long maxBytes = definition.maxBytes() == null ? 0 : definition.maxBytes().bytes();
      return new PutLimits(definition.maxEvents(), maxBytes, definition.maxRate(), weight);
    }

    /** The limits of a segment with all the weight of a queue that has no other limit. */
    public static PutLimits ofEvents(long maxEvents) {
      return new PutLimits(maxEvents, 0, 0, QueueWeights.TOTAL);
    }

    /** Unfinished events that the segment accepts, at least one. */
    public long events() {
      return Math.max(1, share(maxEvents));
    }

    /** Bytes that the segment stores; the largest number for no limit. */
    public long bytes() {
      return maxBytes == 0 ? Long.MAX_VALUE : Math.max(1, share(maxBytes));
    }

    /** Events per second that the segment accepts; 0 for no limit. */
    double rate() {
      return maxRate * weight / QueueWeights.TOTAL;
    }

    private long share(long whole) {
      // In this order, because the limit times the weight may be too large for a long.
      return whole / QueueWeights.TOTAL * weight
          + whole % QueueWeights.TOTAL * weight / QueueWeights.TOTAL;
    }
  }

  /**
   * Looks up a batch's name. It contains no events, so that lookups that wait for a slow store take
   * little memory.
   *
   * @param queue the queue's name
   * @param batch the batch's name
   * @param events how many events the batch has now; another number than before is a conflict
   */
  public record BatchLookup(String queue, String batch, int events) {}
}
