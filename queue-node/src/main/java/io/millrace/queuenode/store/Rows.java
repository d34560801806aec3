package io.millrace.queuenode.store;

import java.util.List;
import java.util.Map;

/**
 * The tables under a store: plain reads and writes without rules. One thread at a time; every
 * change that names an expected state throws {@link IllegalStateException} when a row is not in it.
 */
interface Rows extends AutoCloseable {
  /** An event's row. */
  record Row(Standing standing, NewEvent event) {}

  /** A batch's name. */
  record BatchName(int queue, String name) {}

  /** Raises the store's term by one and commits. */
  long raiseTerm();

  /** The highest sequence number stored, 0 for none. */
  long lastSeq();

  /** Every queue's number by name. */
  Map<String, Integer> queues();

  /** Figures of every queue by number, as committed; {@code oldestStoredAt} is 0. */
  Map<Integer, SegmentTotals> totals();

  /** Events that are leased or delayed. */
  List<Standing> held();

  /** Batch names kept, oldest first. */
  List<BatchName> batches();

  /** Gives a queue a number. */
  int addQueue(String name);

  void insert(List<Row> rows);

  /** Ready events of a queue after a sequence number, oldest first. */
  List<Row> ready(int queue, long after, int limit);

  /** When the oldest ready event was stored, 0 for none. */
  long oldestReady(int queue);

  /** Writes standings of rows that are in the expected state. */
  void update(EventState expected, List<Standing> standings);

  /** Writes standings of leased events that died. */
  void bury(List<Standing> standings, String reason, long diedAt);

  /** Deletes leased events. */
  void delete(List<Standing> leased);

  List<DeadRecord> dead(int queue, int limit);

  /** How many events were stored under the batch's name; 0 when it is not known. */
  int batch(BatchName batch);

  void addBatch(BatchName batch, int events);

  void removeBatches(List<BatchName> batches);

  void saveTotals(int queue, SegmentTotals totals);

  void commit();

  void rollback();

  void force();

  @Override
  void close();
}
