package io.millrace.queuenode.store;

import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.PeekedRecord;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval.RemovalStep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** The rules of a segment store over plain rows; each kind of rule has its own class. */
public final class RowSegmentStore implements SegmentStore {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Rows rows;
  private final Ledger ledger;
  private final Puts puts;
  private final EventLeasing leases;
  private final Deliveries deliveries;
  private final DeadLetters deadLetters;
  private final Purges purges;
  private final EventRetention retention;
  private final SegmentRemovals removals;
  private final EventCopies copies;

  /** Opens the store: raises its term and restarts the leases of leased events in full. */
  public RowSegmentStore(Rows rows, Clock clock) {
    this.rows = rows;
    this.ledger = new Ledger(rows, clock);
    this.removals = new SegmentRemovals(ledger);
    this.puts = new Puts(ledger, removals);
    this.leases = new EventLeasing(ledger);
    this.deliveries = new Deliveries(ledger);
    this.deadLetters = new DeadLetters(ledger);
    this.purges = new Purges(ledger);
    this.retention = new EventRetention(ledger);
    this.copies = new EventCopies(ledger);
  }

  @Override
  public long term() {
    return ledger.term();
  }

  @Override
  public PutOutcome put(PutOrder order) {
    return puts.put(order);
  }

  @Override
  public Optional<PutOutcome> stored(BatchLookup lookup) {
    return puts.stored(lookup);
  }

  @Override
  public List<LeasedEvent> lease(LeaseOrder order) {
    return leases.lease(order);
  }

  @Override
  public ReceiptOutcome acknowledge(String queue, List<Receipt> receipts) {
    return deliveries.acknowledge(queue, receipts);
  }

  @Override
  public ReceiptOutcome refuse(RefuseOrder order) {
    return deliveries.refuse(order);
  }

  @Override
  public ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease) {
    return deliveries.extend(queue, receipts, lease);
  }

  @Override
  public Map<String, Integer> expire(Function<String, QueueRules> rules) {
    Map<String, Integer> ready = new HashMap<>();
    deliveries.expire(rules, ready);
    retention.expire(rules);
    puts.forgetOld();
    return ready;
  }

  @Override
  public boolean due(Function<String, QueueRules> rules) {
    long now = ledger.nanos();
    return ledger.held().isDue(now) || puts.due(now) || retention.due(rules);
  }

  @Override
  public List<PeekedRecord> peek(String queue, EventState state, int limit) {
    OptionalInt number = ledger.number(queue);
    if (number.isEmpty()) {
      return List.of();
    }
    long nanos = ledger.nanos();
    List<PeekedRecord> peeked = new ArrayList<>();
    for (Rows.Row row : read(number.getAsInt(), state, limit)) {
      DeliveryState delivery = row.delivery();
      long held = ledger.held().dueNanos(delivery.seq(), nanos) - nanos;
      peeked.add(
          new PeekedRecord(
              delivery.seq(),
              row.event(),
              state,
              delivery.storedAt(),
              Math.max(0, held / NANOS_PER_MILLI),
              delivery.number(),
              delivery.failures()));
    }
    return peeked;
  }

  private List<Rows.Row> read(int queue, EventState state, int limit) {
    int page = ledger.page(queue, limit);
    return state == EventState.READY
        ? rows.ready(queue, null, page)
        : rows.in(queue, state, 0, page);
  }

  @Override
  public List<DeadRecord> dead(String queue, long beforeSeq, int limit) {
    return deadLetters.list(queue, beforeSeq, limit);
  }

  @Override
  public SweepStep requeueDead(String queue, DeadChoice choice, SegmentSweep sweep, long max) {
    return deadLetters.requeue(queue, choice, sweep, max);
  }

  @Override
  public DeadRecord requeueChanged(String queue, long seq, byte[] data) {
    return deadLetters.requeueChanged(queue, seq, data);
  }

  @Override
  public SweepStep dropDead(String queue, DeadChoice choice, SegmentSweep sweep, long max) {
    return deadLetters.drop(queue, choice, sweep, max);
  }

  @Override
  public SweepStep purge(String queue, EventState state, SegmentSweep sweep) {
    return purges.purge(queue, state, sweep);
  }

  @Override
  public RemovalStep remove(SegmentRemoval removal) {
    RemovalStep step = removals.remove(removal);
    if (step.gone()) {
      retention.forget(removal.queue());
    }
    return step;
  }

  @Override
  public long lastSeq() {
    return ledger.lastSeq();
  }

  @Override
  public StoredEvents copy(String queue, long after, long upTo) {
    return copies.page(queue, after, upTo);
  }

  @Override
  public void restore(String queue, int version, List<StoredEvent> events) {
    copies.restore(queue, version, events);
  }

  @Override
  public void raiseTermTo(long floor) {
    ledger.raiseTermTo(floor);
  }

  @Override
  public Map<String, SegmentTotals> totals() {
    return ledger.totals();
  }

  @Override
  public Map<String, String> troubles() {
    return ledger.troubles();
  }

  @Override
  public long diskBytes() {
    return rows.diskBytes();
  }

  @Override
  public BatchFigures batches() {
    return rows.batchFigures();
  }

  @Override
  public void commit() {
    ledger.commit();
    puts.commit();
  }

  @Override
  public void rollback() {
    ledger.rollback();
    puts.rollback();
    retention.rollback();
  }

  @Override
  public void force() {
    rows.force();
  }

  @Override
  public void close() {
    rows.close();
  }

  /** Deletes events that are not leased, in steps. Used by the writer's thread. */
  private static final class Purges {
    private static final int STEP = 5_000;

    private final Ledger ledger;

    Purges(Ledger ledger) {
      this.ledger = ledger;
    }

    SweepStep purge(String queue, EventState state, SegmentSweep sweep) {
      if (state == EventState.LEASED) {
        throw new IllegalArgumentException("leased events cannot be purged");
      }
      OptionalInt number = ledger.number(queue);
      if (number.isEmpty()) {
        return SweepStep.NOTHING;
      }
      SegmentSweep bounded = sweep.notAbove(ledger.lastSeq());
      int limit = ledger.page(number.getAsInt(), STEP);
      List<DeliveryState> purged =
          ledger.rows().in(number.getAsInt(), state, bounded.after(), limit).stream()
              .map(Rows.Row::delivery)
              .filter(delivery -> delivery.seq() <= bounded.upTo())
              .toList();
      for (DeliveryState delivery : purged) {
        ledger.tally(delivery.queue()).dropped(delivery);
        ledger.held().remove(delivery.seq());
      }
      ledger.rows().delete(state, purged);
      return new SweepStep(
          purged.size(),
          purged.size() == limit
              ? Optional.of(bounded.from(purged.get(limit - 1).seq()))
              : Optional.empty());
    }
  }
}
