package io.millrace.queuenode.store;

/**
 * The part of an event's row that deliveries change, with what identifies and measures the event.
 *
 * @param seq the order of arrival, unique in the store
 * @param queue the store's number of the queue
 * @param storedAt wall time in milliseconds, for ages across restarts
 * @param bytes what it counts in the size of its segment
 * @param state where it is in its life
 * @param delivery number of the last delivery; 0 before the first
 * @param term term of the store that leased it last
 * @param holdMillis length of the lease when LEASED, of the delay when DELAYED
 * @param shared whether its last lease held other events too
 * @param alone whether it is delivered singly from now on
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 */
record Standing(
    long seq,
    int queue,
    long storedAt,
    int bytes,
    EventState state,
    int delivery,
    long term,
    long holdMillis,
    boolean shared,
    boolean alone,
    int failures,
    int returns) {

  static Standing fresh(long seq, int queue, long storedAt, int bytes) {
    return new Standing(seq, queue, storedAt, bytes, EventState.READY, 0, 0, 0, false, false, 0, 0);
  }

  Standing leased(long byTerm, long leaseMillis, boolean withOthers) {
    return new Standing(
        seq,
        queue,
        storedAt,
        bytes,
        EventState.LEASED,
        delivery + 1,
        byTerm,
        leaseMillis,
        withOthers,
        alone,
        failures,
        returns);
  }

  Standing heldFor(long millis) {
    return new Standing(
        seq, queue, storedAt, bytes, state, delivery, term, millis, shared, alone, failures,
        returns);
  }

  Standing in(EventState next, long millis) {
    return new Standing(
        seq, queue, storedAt, bytes, next, delivery, term, millis, shared, alone, failures,
        returns);
  }

  Standing charged(boolean aloneFromNowOn, int allFailures, int allReturns) {
    return new Standing(
        seq,
        queue,
        storedAt,
        bytes,
        state,
        delivery,
        term,
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
