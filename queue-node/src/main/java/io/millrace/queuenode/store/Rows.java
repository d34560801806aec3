package io.millrace.queuenode.store;

import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tables under a store: plain reads and writes without rules. One thread at a time, except
 * {@link #diskBytes} and {@link #batchFigures}, which any thread may call. Every change that names
 * an expected state throws {@link IllegalStateException} when a row is not in it; every field of a
 * delivery comes back as it was written.
 */
public interface Rows extends AutoCloseable {
  /** An event's row. */
  record Row(DeliveryState delivery, NewEvent event) {}

  /** A dead letter's row. */
  record DeadRow(DeliveryState delivery, NewEvent event, String reason, long diedAt) {}

  /** A batch's name. */
  record BatchName(int queue, String name) {}

  /** Raises the store's term by one and commits. */
  long raiseTerm();

  /** The highest sequence number ever stored, 0 for none: a number names one event for ever. */
  long lastSeq();

  /** Every queue's number by name. */
  Map<String, Integer> queues();

  /** Figures of every queue by number, as committed; {@code oldestStoredAt} is 0. */
  Map<Integer, SegmentTotals> totals();

  /** Events that are leased or delayed. */
  List<DeliveryState> held();

  /** Gives a queue a number. */
  int addQueue(String name);

  /** Adds events, ready or delayed, in the order of their sequence numbers. */
  void insert(List<Row> rows);

  /**
   * Ready events of a queue, the highest priority first, within it the oldest first.
   *
   * @param after only those that come behind this one; null for the front
   */
  List<Row> ready(int queue, DeliveryState after, int limit);

  /**
   * When the ready event of the lowest sequence number was stored, over all priorities; 0 for none.
   * Called once for each changed queue of a commit, so its cost must not grow with the backlog.
   */
  long oldestReady(int queue);

  /** Events of a queue in a state, with sequence numbers above the given one, ascending. */
  List<Row> in(int queue, EventState state, long afterSeq, int limit);

  /** Those of the named events that the queue holds in the state; order is free. */
  List<Row> find(int queue, EventState state, List<Long> seqs);

  /** Writes deliveries of rows that are in the expected state. */
  void update(EventState expected, List<DeliveryState> deliveries);

  /** Writes deliveries of events that died, all of one reason. */
  void markDead(EventState expected, List<DeliveryState> deliveries, String reason, long diedAt);

  /** Deletes events that are in the expected state. */
  void delete(EventState expected, List<DeliveryState> deliveries);

  /** Dead letters with sequence numbers below the given one, descending. */
  List<DeadRow> dead(int queue, long beforeSeq, int limit);

  /** How many events were stored under the batch's name; 0 when it is not remembered. */
  int batch(BatchName batch);

  /**
   * Remembers a name that is not remembered, under the next serial number. Where more than the
   * limit are remembered, the oldest of the queue that has most are forgotten, at the latest with
   * the commit; on a server some thousands with each, so that after an opening with a lower limit
   * more stay for some commits.
   */
  void addBatch(BatchName batch, int events);

  /** Serial number of the oldest name that is remembered; the next one when there is none. */
  long firstBatch();

  /** Serial number of the newest name; less than {@link #firstBatch} when there is none. */
  long lastBatch();

  /** Forgets the names up to a serial number. */
  void forgetBatches(long through);

  /** The queue of which a name was forgotten early, the last one of them; 0 for none. */
  int shortenedQueue();

  /** What is known of names, as last committed. Any thread. */
  BatchFigures batchFigures();

  void saveTotals(int queue, SegmentTotals totals);

  void commit();

  void rollback();

  void force();

  /**
   * Why events of this queue cannot be read, found while serving; empty while all is well. What
   * finds it throws {@link StoreFailure}; every later operation on the queue is refused.
   */
  Optional<String> unreadable(int queue);

  /** Bytes on disk, for metrics. Any thread; never blocks for the disk. */
  long diskBytes();

  @Override
  void close();
}
