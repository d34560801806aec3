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
  private long delivered;
  private long acknowledged;
  private long failed;
  private long returned;

  Tally(SegmentTotals from) {
    inState[EventState.READY.code()] = from.waiting();
    inState[EventState.DELAYED.code()] = from.delayed();
    inState[EventState.LEASED.code()] = from.leased();
    inState[EventState.DEAD.code()] = from.dead();
    bytes = from.bytes();
    inserted = from.inserted();
    delivered = from.delivered();
    acknowledged = from.acknowledged();
    failed = from.failed();
    returned = from.returned();
    delays = from.delays().stream().mapToLong(Long::longValue).toArray();
  }

  long unfinished() {
    return in(EventState.READY) + in(EventState.DELAYED) + in(EventState.LEASED);
  }

  void inserted(Standing fresh) {
    inState[fresh.state().code()]++;
    bytes += fresh.bytes();
    inserted++;
  }

  void moved(Standing from, Standing to) {
    inState[from.state().code()]--;
    inState[to.state().code()]++;
    if (to.state() == EventState.LEASED) {
      delivered++;
    }
  }

  void acknowledged(Standing done, long nowMillis) {
    inState[done.state().code()]--;
    bytes -= done.bytes();
    acknowledged++;
    delays[DelayBuckets.of(Math.max(0, nowMillis - done.storedAt()) / 1000.0)]++;
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
        delivered,
        acknowledged,
        failed,
        returned,
        Arrays.stream(delays).boxed().toList());
  }

  private long in(EventState state) {
    return inState[state.code()];
  }
}
