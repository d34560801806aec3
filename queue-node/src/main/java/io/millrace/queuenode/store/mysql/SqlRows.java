package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.DeliveryState;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.Rows;
import io.millrace.queuenode.store.Rows.BatchName;
import io.millrace.queuenode.store.Rows.DeadRow;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.SegmentTotals;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The tables of a store on a MySQL or MariaDB server. */
final class SqlRows implements Rows {
  private final SqlSession session;
  private final EventDao events;
  private final ChangeDao changes;
  private final SegmentDao segments;
  private final BatchDao batches;
  private final ServerDao size;

  /** Takes over the session, which {@link #close} closes. */
  SqlRows(SqlSession session, ServerDao size, int rememberedBatches) {
    this.session = session;
    this.events = new EventDao(session);
    this.changes = new ChangeDao(session);
    this.segments = new SegmentDao(session);
    this.batches = new BatchDao(session, rememberedBatches);
    this.size = size;
  }

  @Override
  public long raiseTerm() {
    long term = session.raiseTerm();
    // From now on no other process can write.
    batches.open();
    return term;
  }

  @Override
  public void raiseTermTo(long floor) {
    session.raiseTermTo(floor);
  }

  @Override
  public long lastSeq() {
    return events.lastSeq();
  }

  @Override
  public Map<String, Integer> queues() {
    return segments.queues();
  }

  @Override
  public Map<Integer, SegmentTotals> totals() {
    return segments.totals();
  }

  @Override
  public List<DeliveryState> held() {
    List<DeliveryState> held = new ArrayList<>();
    segments.queues().values().forEach(queue -> held.addAll(events.held(queue)));
    return held;
  }

  @Override
  public Map<Integer, Integer> versions() {
    return segments.versions();
  }

  @Override
  public int addQueue(String name, int version) {
    return segments.add(name, version);
  }

  @Override
  public void removeQueue(String name, int number) {
    segments.remove(number);
  }

  @Override
  public void insert(List<Row> rows) {
    changes.insert(rows);
  }

  @Override
  public List<Row> ready(int queue, DeliveryState after, int limit) {
    return events.ready(queue, after, limit);
  }

  @Override
  public long oldestReady(int queue) {
    return events.oldestReady(queue);
  }

  @Override
  public List<Row> in(int queue, EventState state, long afterSeq, int limit) {
    return events.in(queue, state, afterSeq, limit);
  }

  @Override
  public List<Row> find(int queue, EventState state, List<Long> seqs) {
    return events.find(queue, state, seqs);
  }

  @Override
  public void update(EventState expected, List<DeliveryState> deliveries) {
    changes.update(expected, deliveries);
  }

  @Override
  public void markDead(
      EventState expected, List<DeliveryState> deliveries, String reason, long diedAt) {
    changes.markDead(expected, deliveries, reason, diedAt);
  }

  @Override
  public void delete(EventState expected, List<DeliveryState> deliveries) {
    changes.delete(expected, deliveries);
  }

  @Override
  public List<DeadRow> dead(int queue, long beforeSeq, int limit) {
    return events.dead(queue, beforeSeq, limit);
  }

  @Override
  public int batch(BatchName batch) {
    return batches.size(batch);
  }

  @Override
  public void addBatch(BatchName batch, int events) {
    batches.add(batch, events);
  }

  @Override
  public long firstBatch() {
    return batches.first();
  }

  @Override
  public long lastBatch() {
    return batches.last();
  }

  @Override
  public void forgetBatches(long through) {
    batches.forget(through);
  }

  @Override
  public int shortenedQueue() {
    return batches.shortened();
  }

  @Override
  public BatchFigures batchFigures() {
    return batches.figures();
  }

  @Override
  public void saveTotals(int queue, SegmentTotals totals) {
    segments.save(queue, totals);
  }

  @Override
  public void commit() {
    changes.complete();
    batches.forgetSurplus();
    session.commit();
    batches.committed();
    size.refresh(session);
  }

  @Override
  public void rollback() {
    changes.undo();
    batches.undo();
    session.rollback();
  }

  /** The server forces each commit before it answers; {@link SqlSegmentStore} checks that. */
  @Override
  public void force() {
    // Nothing to force.
  }

  /** The server detects damage itself, and then its statements fail. */
  @Override
  public Optional<String> unreadable(int queue) {
    return Optional.empty();
  }

  @Override
  public long diskBytes() {
    return size.bytes();
  }

  @Override
  public void close() {
    session.close();
  }
}
