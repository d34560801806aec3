package io.millrace.queuenode.store;

/**
 * The part of an event's row that deliveries change, with what identifies and measures the event.
 *
 * @param seq the order of arrival, unique in the store
 * @param queue the store's number of the queue
 * @param priority 0 to 9, the higher first
 * @param storedAt wall time in milliseconds, for ages across restarts
 * @param bytes what it counts in the size of its segment
 * @param state where it is in its life
 * @param delivery number of the last delivery; 0 before the first
 * @param term term of the store that leased it last
 * @param heldAt wall time in milliseconds at which its lease or delay began, or at which it became
 *     ready again or died; 0 for an event that was ready from the start
 * @param holdMillis length of the lease when LEASED, of the delay when DELAYED
 * @param shared whether its last lease held other events too
 * @param alone whether it is delivered singly from now on
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 */
public record DeliveryState(
    long seq,
    int queue,
    int priority,
    long storedAt,
    int bytes,
    EventState state,
    int delivery,
    long term,
    long heldAt,
    long holdMillis,
    boolean shared,
    boolean alone,
    int failures,
    int returns) {

  /** The standing of an event that has just arrived: delayed if it was sent so, or else ready. */
  static DeliveryState fresh(long seq, int queue, NewEvent event, long storedAt) {
    boolean delayed = event.delayMillis() > 0;
    return new DeliveryState(
        seq,
        queue,
        event.priority(),
        storedAt,
        event.bytes(),
        delayed ? EventState.DELAYED : EventState.READY,
        0,
        0,
        delayed ? storedAt : 0,
        event.delayMillis(),
        false,
        false,
        0,
        0);
  }

  DeliveryState leased(long byTerm, long now, long leaseMillis, boolean withOthers) {
    return new DeliveryState(
        seq,
        queue,
        priority,
        storedAt,
        bytes,
        EventState.LEASED,
        delivery + 1,
        byTerm,
        now,
        leaseMillis,
        withOthers,
        alone,
        failures,
        returns);
  }

  /** In another state, or held anew in the same, from now on. */
  DeliveryState in(EventState next, long now, long millis) {
    return new DeliveryState(
        seq, queue, priority, storedAt, bytes, next, delivery, term, now, millis, shared, alone,
        failures, returns);
  }

  DeliveryState charged(boolean aloneFromNowOn, int allFailures, int allReturns) {
    return new DeliveryState(
        seq,
        queue,
        priority,
        storedAt,
        bytes,
        state,
        delivery,
        term,
        heldAt,
        holdMillis,
        shared,
        aloneFromNowOn,
        allFailures,
        allReturns);
  }

  /** Whether the receipt is of this very delivery and the event is still leased by it. */
  boolean answers(int itsQueue, Receipt receipt) {
    return state == EventState.LEASED
        && queue == itsQueue
        && delivery == receipt.delivery()
        && term == receipt.term();
  }

  Receipt receipt() {
    return new Receipt(seq, delivery, term);
  }
}
