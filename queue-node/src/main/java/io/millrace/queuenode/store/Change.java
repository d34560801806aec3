package io.millrace.queuenode.store;

import io.millrace.queuenode.store.PutOrder.PutOutcome;
import java.util.function.Function;

/**
 * One request to the store.
 *
 * @param queue the queue for which it works, to which its time is charged; null for none
 * @param bytes what it takes of the committer's room while it waits, in bytes of heap; 0 for
 *     requests that relieve the store and are never held back
 * @param forced whether its answer must wait for the disk
 * @param action what to do, on the committer's thread, within a transaction
 * @param <R> its result
 */
public record Change<R>(
    String queue, long bytes, boolean forced, Function<SegmentStore, R> action) {
  private static final int OBJECT_BYTES = 200;

  /** A change that stores events. */
  public static Change<PutOutcome> put(PutOrder order) {
    // Events of a few bytes take more for the objects that hold them.
    long memory = order.bytes() + OBJECT_BYTES * (1L + order.events().size());
    return new Change<>(order.queue(), memory, true, store -> store.put(order));
  }

  /** Any other change to one queue: losing it with the power only repeats a delivery. */
  public static <R> Change<R> of(String queue, Function<SegmentStore, R> action) {
    return new Change<>(queue, 0, false, action);
  }

  /** A change that must survive the loss of power, such as the deletion of events by hand. */
  public static <R> Change<R> lasting(String queue, Function<SegmentStore, R> action) {
    return new Change<>(queue, 0, true, action);
  }

  /** A change that belongs to no queue. */
  public static <R> Change<R> of(Function<SegmentStore, R> action) {
    return new Change<>(null, 0, false, action);
  }
}
