package io.millrace.queuenode.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
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
  public PutOutcome put(PutOrder order) {
    return store.put(order);
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
  public Map<String, Integer> expire(Function<String, DeliveryLimits> limits) {
    return store.expire(limits);
  }

  @Override
  public boolean due() {
    return store.due();
  }

  @Override
  public List<DeadRecord> dead(String queue, int limit) {
    return store.dead(queue, limit);
  }

  @Override
  public Map<String, SegmentTotals> totals() {
    return store.totals();
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
