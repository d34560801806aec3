package io.millrace.queuenode.store;

import io.millrace.api.queue.DelayBuckets;
import java.util.Arrays;

/**
 * The figures of one segment while a transaction changes them. Used by the writer's thread only.
 */
final class Tally {
  private final long[] inState = new long[EventState.values().length];
  private final long[] delays;
  private long bytes;
  private long inserted;
  private long insertedBytes;
  private long delivered;
  private long deliveredBytes;
  private long acknowledged;
  private long failed;
  private long returned;
  private long dropped;

  Tally(SegmentTotals from) {
    inState[EventState.READY.code()] = from.waiting();
    inState[EventState.DELAYED.code()] = from.delayed();
    inState[EventState.LEASED.code()] = from.leased();
    inState[EventState.DEAD.code()] = from.dead();
    bytes = from.bytes();
    inserted = from.inserted();
    insertedBytes = from.insertedBytes();
    delivered = from.delivered();
    deliveredBytes = from.deliveredBytes();
    acknowledged = from.acknowledged();
    failed = from.failed();
    returned = from.returned();
    dropped = from.dropped();
    delays = from.delays().stream().mapToLong(Long::longValue).toArray();
  }

  long waiting() {
    return in(EventState.READY);
  }

  long unfinished() {
    return in(EventState.READY) + in(EventState.DELAYED) + in(EventState.LEASED);
  }

  long bytes() {
    return bytes;
  }

  void inserted(DeliveryState fresh) {
    inState[fresh.state().code()]++;
    bytes += fresh.bytes();
    inserted++;
    insertedBytes += fresh.bytes();
  }

  void moved(DeliveryState from, DeliveryState to) {
    inState[from.state().code()]--;
    inState[to.state().code()]++;
    if (to.state() == EventState.LEASED) {
      delivered++;
      deliveredBytes += to.bytes();
    }
  }

  void acknowledged(DeliveryState done, long nowMillis) {
    inState[done.state().code()]--;
    bytes -= done.bytes();
    acknowledged++;
    delays[DelayBuckets.of(Math.max(0, nowMillis - done.storedAt()) / 1000.0)]++;
  }

  void dropped(DeliveryState gone) {
    inState[gone.state().code()]--;
    bytes -= gone.bytes();
    dropped++;
  }

  void failed() {
    failed++;
  }

  void returned() {
    returned++;
  }

  SegmentTotals totals() {
    return new SegmentTotals(
        in(EventState.READY),
        in(EventState.DELAYED),
        in(EventState.LEASED),
        in(EventState.DEAD),
        bytes,
        0,
        inserted,
        insertedBytes,
        delivered,
        deliveredBytes,
        acknowledged,
        failed,
        returned,
        dropped,
        Arrays.stream(delays).boxed().toList());
  }

  private long in(EventState state) {
    return inState[state.code()];
  }
}
