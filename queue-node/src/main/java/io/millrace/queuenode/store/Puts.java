package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Tallies.Tally;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores batches, each name once, within the limits. Used by the writer's thread. */
final class Puts {
  private static final Logger LOGGER = LoggerFactory.getLogger(Puts.class);

  private final Ledger ledger;
  private final AdmissionControl admission = new AdmissionControl();
  private final BatchAges ages = new BatchAges();
  private final Set<Integer> warned = new HashSet<>();
  private final SegmentRemovals removals;

  Puts(Ledger ledger, SegmentRemovals removals) {
    this.ledger = ledger;
    this.removals = removals;
    Rows rows = ledger.rows();
    if (rows.firstBatch() <= rows.lastBatch()) {
      // Their age is unknown, so it starts again.
      ages.added(ledger.nanos());
      ages.commit(rows.firstBatch(), rows.lastBatch());
    }
  }

  PutOutcome put(PutOrder order) {
    Optional<PutOutcome> stored =
        stored(new BatchLookup(order.queue(), order.batch(), order.events().size()));
    if (stored.isPresent()) {
      return stored.get();
    }
    removals.requireOpen(order);
    admission.admit(
        order,
        ledger.tallies().unfinished(order.queue()),
        ledger.tallies().bytes(order.queue()),
        ledger.nanos());
    int queue = ledger.tallies().numberOrNew(order.queue(), order.versions().inForce());
    insert(queue, order.events());
    Rows.BatchName name = new Rows.BatchName(queue, order.batch());
    ledger.rows().addBatch(name, order.events().size());
    ages.added(ledger.nanos());
    return new PutOutcome(order.events().size(), false);
  }

  /** What was stored earlier under the batch's name; empty if it is not remembered. */
  Optional<PutOutcome> stored(BatchLookup lookup) {
    OptionalInt known = ledger.number(lookup.queue());
    int earlier = known.isEmpty() ? 0 : earlier(known.getAsInt(), lookup.batch());
    return earlier > 0 ? Optional.of(repeated(lookup, earlier)) : Optional.empty();
  }

  private int earlier(int queue, String batch) {
    return ledger.rows().batch(new Rows.BatchName(queue, batch));
  }

  private void insert(int queue, List<NewEvent> events) {
    Tally tally = ledger.tally(queue);
    long now = ledger.now();
    List<Rows.Row> fresh = new ArrayList<>(events.size());
    for (NewEvent event : events) {
      DeliveryState delivery = DeliveryState.fresh(ledger.nextSeq(), queue, event, now);
      fresh.add(new Rows.Row(delivery, event));
      tally.inserted(delivery);
      if (delivery.state() == EventState.DELAYED) {
        ledger.hold(delivery);
      }
    }
    ledger.rows().insert(fresh);
  }

  private static PutOutcome repeated(BatchLookup lookup, int earlier) {
    if (earlier != lookup.events()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "batch "
              + lookup.batch()
              + " of queue "
              + lookup.queue()
              + " was stored with "
              + earlier
              + " events, not "
              + lookup.events()
              + "; a new batch needs a new name");
    }
    return new PutOutcome(earlier, true);
  }

  /** Whether names are old enough to be removed. Any thread. */
  boolean due(long nowNanos) {
    return ages.isOld(nowNanos);
  }

  void forgetOld() {
    Rows rows = ledger.rows();
    long through =
        Math.min(ages.old(ledger.nanos()), rows.firstBatch() + BatchShares.FORGOTTEN_AT_ONCE - 1);
    if (through >= rows.firstBatch()) {
      rows.forgetBatches(through);
    }
  }

  void commit() {
    admission.commit();
    Rows rows = ledger.rows();
    ages.commit(rows.firstBatch(), rows.lastBatch());
    warn(rows);
  }

  /** Once for each queue. */
  private void warn(Rows rows) {
    int queue = rows.shortenedQueue();
    if (queue != 0 && warned.add(queue)) {
      LOGGER.warn(
          "more than {} batch names arrived within {} minutes, so the oldest names of queue {} are"
              + " evicted early; a batch whose name was evicted is stored again if it is repeated;"
              + " increase this node's heap or store.rememberedBatches",
          rows.batchFigures().limit(),
          BatchAges.KEPT.toMinutes(),
          ledger.tallies().name(queue));
    }
  }

  void rollback() {
    admission.rollback();
    ages.rollback();
  }

  /**
   * The ages of the remembered batch names, on the monotonic clock: a step of the wall clock must
   * not remove a name while its producer still retries. One mark covers all names of a second, so
   * the memory does not grow with their number. Used by the writer's thread; {@link #isOld} by any.
   */
  private static final class BatchAges {
    /** The longest time that a name is remembered: longer than its producer retries. */
    static final Duration KEPT = Duration.ofMinutes(10);

    private static final long GRAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * Names added within a second of each other.
     *
     * @param begunNanos when the first of them was added
     * @param latestNanos when the last of them was added
     * @param last serial number of the last of them
     */
    private record Mark(long begunNanos, long latestNanos, long last) {}

    private final Deque<Mark> marks = new ArrayDeque<>();
    private boolean added;
    private long addedNanos;
    private volatile Mark oldest;

    /** Records that the current transaction added a name. */
    void added(long nowNanos) {
      added = true;
      addedNanos = nowNanos;
    }

    /** The serial number up to which names are too old; 0 for none. */
    long old(long nowNanos) {
      long through = 0;
      for (Mark mark : marks) {
        if (!isOld(mark, nowNanos)) {
          break;
        }
        through = mark.last();
      }
      return through;
    }

    /** Whether there are names too old. Any thread. */
    boolean isOld(long nowNanos) {
      Mark first = oldest;
      return first != null && isOld(first, nowNanos);
    }

    /**
     * Records what the committed transaction added and removed.
     *
     * @param first serial number of the oldest name that is remembered
     * @param last serial number of the newest
     */
    void commit(long first, long last) {
      if (added) {
        Mark newest = marks.peekLast();
        boolean joins = newest != null && addedNanos - newest.begunNanos() < GRAIN_NANOS;
        long begun = joins ? marks.removeLast().begunNanos() : addedNanos;
        marks.add(new Mark(begun, addedNanos, last));
        added = false;
      }
      while (!marks.isEmpty() && marks.peek().last() < first) {
        marks.remove();
      }
      oldest = marks.peek();
    }

    void rollback() {
      added = false;
    }

    private static boolean isOld(Mark mark, long nowNanos) {
      return nowNanos - mark.latestNanos() >= KEPT.toNanos();
    }
  }
}
