package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.Tallies.Tally;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the rules of a store share: its rows, the leased and delayed events, the figures, the time.
 * Used by the writer's thread; {@link #troubles} and {@link #totals} by any.
 */
final class Ledger {
  /** Bytes that one read should load, estimated from the average size of the queue's events. */
  static final long READ_BYTES = 8L << 20;

  private final Rows rows;
  private final Clock clock;
  private final long term;
  private final Tallies tallies;
  private final HeldEvents held = new HeldEvents();
  private final Map<String, String> troubles = new ConcurrentHashMap<>();
  private final SteadyWall steadyWall;
  private long lastSeq;

  /** Raises the store's term; leases start again in full, delays with the rest. */
  Ledger(Rows rows, Clock clock) {
    this.rows = rows;
    this.clock = clock;
    this.term = rows.raiseTerm();
    this.tallies = new Tallies(rows);
    this.lastSeq = Math.max(rows.lastSeq(), numbersFrom(term));
    this.steadyWall = new SteadyWall(clock);
    for (DeliveryState delivery : rows.held()) {
      held.put(delivery, nanos(afterOpening(delivery)));
      // After each event: there may be millions, and this is never undone.
      held.commit();
    }
    tallies.numbers().forEach((name, number) -> note(name, rows.unreadable(number)));
  }

  private long afterOpening(DeliveryState delivery) {
    if (delivery.state() == EventState.LEASED) {
      return delivery.holdMillis();
    }
    long passed = Math.max(0, now() - delivery.heldAt());
    return Math.max(0, delivery.holdMillis() - passed);
  }

  Rows rows() {
    return rows;
  }

  HeldEvents held() {
    return held;
  }

  Tallies tallies() {
    return tallies;
  }

  Tally tally(int queue) {
    return tallies.of(queue);
  }

  Map<String, SegmentTotals> totals() {
    return tallies.totals();
  }

  long term() {
    return term;
  }

  /**
   * The number after which those of a restored store begin: more than any store of an earlier term
   * has given out, so that a handle from before the restoration names no other event. Below 2^53,
   * which is as far as JSON is read exactly everywhere.
   */
  private static long numbersFrom(long term) {
    return term < SegmentStore.RESTORED ? 0 : term << 20;
  }

  /** Begins with higher numbers if the term of the next opening requires it. */
  void raiseTermTo(long floor) {
    rows.raiseTermTo(floor);
    lastSeq = Math.max(lastSeq, numbersFrom(floor));
  }

  long nextSeq() {
    return ++lastSeq;
  }

  long lastSeq() {
    return lastSeq;
  }

  /** Wall time in milliseconds. */
  long now() {
    return clock.now().toEpochMilli();
  }

  /** Wall time in milliseconds that is not advanced by a clock step. */
  long steadyNow() {
    return steadyWall.millis();
  }

  /** The monotonic time. */
  long nanos() {
    return clock.nanoTime();
  }

  private long nanos(long millisFromNow) {
    return clock.nanoTime() + Duration.ofMillis(millisFromNow).toNanos();
  }

  /** Holds a leased or delayed event from now on for as long as its delivery says. */
  void hold(DeliveryState delivery) {
    held.put(delivery, nanos(delivery.holdMillis()));
  }

  /**
   * The queue's number; empty when it never held an event.
   *
   * @throws MillraceException STORE_FAILURE when its events cannot be read
   */
  OptionalInt number(String queue) {
    Integer number = tallies.number(queue);
    if (number == null) {
      return OptionalInt.empty();
    }
    Optional<String> trouble = rows.unreadable(number);
    note(queue, trouble);
    if (trouble.isPresent()) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the segment of queue "
              + queue
              + " on this node is not served: "
              + trouble.get()
              + "; restore the store's folder from a backup, or move it away and restart");
    }
    return OptionalInt.of(number);
  }

  /** Whether the queue of this number is served. */
  boolean readable(int queue) {
    return rows.unreadable(queue).isEmpty();
  }

  private void note(String queue, Optional<String> trouble) {
    if (trouble.isPresent()) {
      troubles.put(queue, trouble.get());
    } else if (!troubles.isEmpty()) {
      troubles.remove(queue);
    }
  }

  /** Why queues are not served, by name. */
  Map<String, String> troubles() {
    return Map.copyOf(troubles);
  }

  /** How many events to read at once: at most the given number, fewer if they are large. */
  int page(int queue, int max) {
    return (int) Math.max(1, Math.min(max, READ_BYTES / Math.max(1, tallies.meanBytes(queue))));
  }

  void commit() {
    tallies.save();
    rows.commit();
    tallies.committed();
    held.commit();
  }

  void rollback() {
    rows.rollback();
    tallies.rollback();
    held.rollback();
  }

  /**
   * The wall clock, limited by the monotonic time since the opening: for ages that must be right
   * across restarts, and must not be affected by a clock step. Immutable.
   */
  private static final class SteadyWall {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock clock;
    private final long openedMillis;
    private final long openedNanos;

    SteadyWall(Clock clock) {
      this.clock = clock;
      this.openedMillis = clock.now().toEpochMilli();
      this.openedNanos = clock.nanoTime();
    }

    long millis() {
      long counted = openedMillis + (clock.nanoTime() - openedNanos) / NANOS_PER_MILLI;
      return Math.min(counted, clock.now().toEpochMilli());
    }
  }
}
