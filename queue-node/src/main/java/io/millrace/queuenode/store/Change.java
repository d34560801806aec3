package io.millrace.queuenode.store;

import io.millrace.queuenode.store.PutOrder.PutOutcome;
import java.util.function.Function;

/**
 * One request to the store.
 *
 * @param queue the queue that its time is charged to; null for none
 * @param bytes heap that it takes while it is pending; 0 for requests that relieve the store and
 *     never wait for space
 * @param forced whether its result must wait for the disk
 * @param action runs on the committer's thread, within a transaction
 * @param <S> the kind of store
 * @param <R> its result
 */
public record Change<S, R>(String queue, long bytes, boolean forced, Function<S, R> action) {
  private static final int OBJECT_BYTES = 200;

  /** A change that stores events. */
  public static Change<SegmentStore, PutOutcome> put(PutOrder order) {
    // For small events the objects that hold them take more memory than the data.
    long memory = order.bytes() + OBJECT_BYTES * (1L + order.events().size());
    return new Change<>(order.queue(), memory, true, store -> store.put(order));
  }

  /** Any other change to one queue: losing it in a power failure only repeats a delivery. */
  public static <S, R> Change<S, R> of(String queue, Function<S, R> action) {
    return new Change<>(queue, 0, false, action);
  }

  /** A change that must survive a power failure, such as the deletion of events by an operator. */
  public static <S, R> Change<S, R> lasting(String queue, Function<S, R> action) {
    return new Change<>(queue, 0, true, action);
  }

  /** A change that belongs to no queue. */
  public static <S, R> Change<S, R> of(Function<S, R> action) {
    return new Change<>(null, 0, false, action);
  }
}
