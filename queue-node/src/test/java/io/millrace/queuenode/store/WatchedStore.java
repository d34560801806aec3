package io.millrace.queuenode.store;

import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoredEvents;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A store that counts commits and forces, and whose forces can be held or made to fail. */
final class WatchedStore implements SegmentStore {
  private final SegmentStore store;
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicInteger forces = new AtomicInteger();
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile boolean failing;

  WatchedStore(SegmentStore store) {
    this.store = store;
  }

  int commits() {
    return commits.get();
  }

  int forces() {
    return forces.get();
  }

  CountDownLatch holdForce() {
    gate = new CountDownLatch(1);
    return gate;
  }

  void failForces() {
    failing = true;
  }

  @Override
  public long term() {
    return store.term();
  }

  @Override
  public long lastSeq() {
    return store.lastSeq();
  }

  @Override
  public StoredEvents copy(String queue, long after, long upTo) {
    return store.copy(queue, after, upTo);
  }

  @Override
  public void restore(String queue, int version, List<StoredEvent> events) {
    store.restore(queue, version, events);
  }

  @Override
  public void raiseTermTo(long floor) {
    store.raiseTermTo(floor);
  }

  @Override
  public PutOutcome put(PutOrder order) {
    return store.put(order);
  }

  @Override
  public Optional<PutOutcome> stored(BatchLookup lookup) {
    return store.stored(lookup);
  }

  @Override
  public List<LeasedEvent> lease(LeaseOrder order) {
    return store.lease(order);
  }

  @Override
  public ReceiptOutcome acknowledge(String queue, List<Receipt> receipts) {
    return store.acknowledge(queue, receipts);
  }

  @Override
  public ReceiptOutcome refuse(RefuseOrder order) {
    return store.refuse(order);
  }

  @Override
  public ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease) {
    return store.extend(queue, receipts, lease);
  }

  @Override
  public Map<String, Integer> expire(Function<String, QueueRules> rules) {
    return store.expire(rules);
  }

  @Override
  public boolean due(Function<String, QueueRules> rules) {
    return store.due(rules);
  }

  @Override
  public List<PeekedRecord> peek(String queue, EventState state, int limit) {
    return store.peek(queue, state, limit);
  }

  @Override
  public List<DeadRecord> dead(String queue, long beforeSeq, int limit) {
    return store.dead(queue, beforeSeq, limit);
  }

  @Override
  public SweepStep requeueDead(String queue, DeadChoice choice, SegmentSweep sweep, long most) {
    return store.requeueDead(queue, choice, sweep, most);
  }

  @Override
  public DeadRecord requeueChanged(String queue, long seq, byte[] data) {
    return store.requeueChanged(queue, seq, data);
  }

  @Override
  public SweepStep dropDead(String queue, DeadChoice choice, SegmentSweep sweep, long most) {
    return store.dropDead(queue, choice, sweep, most);
  }

  @Override
  public SweepStep purge(String queue, EventState state, SegmentSweep sweep) {
    return store.purge(queue, state, sweep);
  }

  @Override
  public RemovalStep remove(SegmentRemoval removal) {
    return store.remove(removal);
  }

  @Override
  public Map<String, SegmentTotals> totals() {
    return store.totals();
  }

  @Override
  public Map<String, String> troubles() {
    return store.troubles();
  }

  @Override
  public long diskBytes() {
    return store.diskBytes();
  }

  @Override
  public BatchFigures batches() {
    return store.batches();
  }

  @Override
  public void commit() {
    commits.incrementAndGet();
    store.commit();
  }

  @Override
  public void rollback() {
    store.rollback();
  }

  @Override
  public void force() {
    GroupCommitterTest.opened(gate);
    if (failing) {
      throw new StoreFailure("no force", new java.io.IOException("the disk is gone"));
    }
    forces.incrementAndGet();
    store.force();
  }

  @Override
  public void close() {
    store.close();
  }
}
