package io.millrace.queuenode.store;

import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tables of a store: plain reads and writes without rules. One thread at a time, except {@link
 * #diskBytes} and {@link #batchFigures}, which any thread may call. Every change that names an
 * expected state throws {@link IllegalStateException} when a row is not in it; every field of a
 * delivery is read as it was written.
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

  /** Raises the store's term to at least that value and commits; nothing else may be pending. */
  void raiseTermTo(long floor);

  /** The highest sequence number ever stored, 0 for none; numbers are never reused. */
  long lastSeq();

  /** Every queue's number by name. */
  Map<String, Integer> queues();

  /** The committed figures of every queue by number; {@code oldestStoredAt} is 0. */
  Map<Integer, SegmentTotals> totals();

  /** Events that are leased or delayed. */
  List<DeliveryState> held();

  /**
   * The version of its definition under which each queue's segment began, by number; 0 if unknown.
   */
  Map<Integer, Integer> versions();

  /**
   * Assigns a number to a queue; never that of a removed queue whose batch names are remembered.
   *
   * @param version of the queue's definition
   */
  int addQueue(String name, int version);

  /** Removes a queue that has no events, with its figures. */
  void removeQueue(String name, int number);

  /** Adds events, ready or delayed, in the order of their sequence numbers. */
  void insert(List<Row> rows);

  /**
   * Ready events of a queue, by descending priority, then the oldest first.
   *
   * @param after only those that follow this one; null for all
   */
  List<Row> ready(int queue, DeliveryState after, int limit);

  /**
   * When the ready event of the lowest sequence number was stored, over all priorities; 0 for none.
   * Called once for each changed queue of a commit, so its cost must not grow with the backlog.
   */
  long oldestReady(int queue);

  /** Events of a queue in a state, with sequence numbers above the given one, ascending. */
  List<Row> in(int queue, EventState state, long afterSeq, int limit);

  /** The given events that the queue holds in the state, in any order. */
  List<Row> find(int queue, EventState state, List<Long> seqs);

  /** Updates the deliveries of events that are in the expected state. */
  void update(EventState expected, List<DeliveryState> deliveries);

  /** Turns events that are in the expected state into dead letters, all for one reason. */
  void markDead(EventState expected, List<DeliveryState> deliveries, String reason, long diedAt);

  /** Deletes events that are in the expected state. */
  void delete(EventState expected, List<DeliveryState> deliveries);

  /** Dead letters with sequence numbers below the given one, descending. */
  List<DeadRow> dead(int queue, long beforeSeq, int limit);

  /** How many events were stored under the batch's name; 0 if it is unknown. */
  int batch(BatchName batch);

  /**
   * Adds an unknown name under the next serial number. Above the limit the oldest names of the
   * queue with the most are evicted, at the latest by the commit; on a server some thousands with
   * each commit, so that after opening with a lower limit more remain for some commits.
   */
  void addBatch(BatchName batch, int events);

  /** Serial number of the oldest name; the next one if there is none. */
  long firstBatch();

  /** Serial number of the newest name; less than {@link #firstBatch} if there is none. */
  long lastBatch();

  /** Forgets the names up to a serial number. */
  void forgetBatches(long through);

  /** The last queue that a name was evicted from; 0 for none. */
  int shortenedQueue();

  /** The figures of batch names as last committed. Any thread. */
  BatchFigures batchFigures();

  void saveTotals(int queue, SegmentTotals totals);

  void commit();

  void rollback();

  void force();

  /**
   * Why events of this queue cannot be read; empty if they can. The read that detects it throws
   * {@link StoreFailure}; every later operation on the queue is refused.
   */
  Optional<String> unreadable(int queue);

  /** Bytes on disk, for metrics. Any thread; never waits for the disk. */
  long diskBytes();

  @Override
  void close();
}
