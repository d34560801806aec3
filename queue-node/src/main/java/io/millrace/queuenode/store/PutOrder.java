package io.millrace.queuenode.store;

import java.util.List;

/**
 * Stores a batch, once however often it is asked.
 *
 * @param queue the queue's name
 * @param batch the batch's name, remembered for ten minutes
 * @param events at least one
 * @param limits what the segment takes
 */
public record PutOrder(String queue, String batch, List<NewEvent> events, PutLimits limits) {
  /** For a segment that takes so many unfinished events. */
  public PutOrder(String queue, String batch, List<NewEvent> events, long maxEvents) {
    this(queue, batch, events, PutLimits.ofEvents(maxEvents));
  }

  /** Size of all its events. */
  public long bytes() {
    long bytes = 0;
    for (NewEvent event : events) {
      bytes += event.bytes();
    }
    return bytes;
  }
}
