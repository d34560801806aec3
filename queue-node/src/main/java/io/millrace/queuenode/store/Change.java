package io.millrace.queuenode.store;

import java.util.function.Function;

/**
 * One request to the store.
 *
 * @param bytes what it takes of the committer's room while it waits; 0 for requests that relieve
 *     the store and are never held back
 * @param forced whether its answer must wait for the disk
 * @param action what to do, on the committer's thread, within a transaction
 * @param <R> its result
 */
public record Change<R>(long bytes, boolean forced, Function<SegmentStore, R> action) {
  /** A change that stores events. */
  public static Change<PutOutcome> put(PutOrder order) {
    return new Change<>(Math.max(1, order.bytes()), true, store -> store.put(order));
  }

  /** Any other change: losing it with the power only repeats a delivery. */
  public static <R> Change<R> of(Function<SegmentStore, R> action) {
    return new Change<>(0, false, action);
  }
}
