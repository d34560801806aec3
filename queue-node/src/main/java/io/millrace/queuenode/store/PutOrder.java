package io.millrace.queuenode.store;

import java.util.List;

/**
 * Stores a batch, once however often it is asked.
 *
 * @param queue the queue's name
 * @param batch the batch's name, remembered for ten minutes
 * @param events at least one
 * @param maxEvents unfinished events that the segment takes
 */
public record PutOrder(String queue, String batch, List<NewEvent> events, long maxEvents) {
  /** Size of all its events. */
  public long bytes() {
    return events.stream().mapToLong(NewEvent::bytes).sum();
  }
}
