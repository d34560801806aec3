package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.BatchShares;
import io.millrace.queuenode.store.QueueBatches;
import io.millrace.queuenode.store.Rows.BatchName;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of recently stored batches, on a server; only their serial numbers are kept in memory,
 * by queue. One thread at a time, except {@link #figures}.
 */
final class BatchDao {
  private static final String PAGE =
      """
      SELECT number, queue FROM store_batch WHERE store = ? AND number > ?
      ORDER BY number LIMIT 20000
      """;
  private static final String SIZE =
      """
      SELECT events FROM store_batch WHERE queue = ? AND name = ?
      """;
  private static final String ADD =
      """
      INSERT INTO store_batch (store, number, queue, name, events) VALUES (?, ?, ?, ?, ?)
      """;
  private static final String FORGET =
      """
      DELETE FROM store_batch WHERE store = ? AND number <= ?
      """;
  private static final String FORGET_EARLY =
      """
      DELETE FROM store_batch WHERE store = ? AND number IN ({numbers})\
      """;

  /** The serial number and queue of a name on the server. */
  private record Entry(long number, int queue) {}

  private final SqlSession session;
  private final int limit;
  private final BatchShares<QueueBatches<QueueBatches.Chunk>> shares =
      new BatchShares<>(queue -> new QueueBatches<>(queue, QueueBatches.Chunk::new));
  private long last;
  private long committedLast;
  private long early;
  private long committedEarly;
  private int shortened;
  private volatile BatchFigures figures;

  BatchDao(SqlSession session, int limit) {
    this.session = session;
    this.limit = limit;
    this.figures = new BatchFigures(0, limit, 0);
  }

  /** Reads the serial numbers that the store has, a page at a time: there may be millions. */
  void open() {
    List<Entry> page = page();
    while (!page.isEmpty()) {
      page.forEach(this::note);
      shares.commit();
      page = page();
    }
    committed();
  }

  private List<Entry> page() {
    return session
        .reading()
        .query(
            PAGE,
            statement -> {
              statement.setInt(1, session.store());
              statement.setLong(2, last);
            },
            row -> new Entry(row.getLong(1), row.getInt(2)));
  }

  private void note(Entry entry) {
    shares.add(entry.queue(), names -> names.add(entry.number()));
    last = entry.number();
  }

  long first() {
    return Math.min(last + 1, shares.oldest());
  }

  long last() {
    return last;
  }

  /** How many events the batch had; 0 if it is unknown. */
  int size(BatchName batch) {
    return session
        .reading()
        .query(
            SIZE,
            statement -> {
              statement.setInt(1, batch.queue());
              statement.setString(2, batch.name());
            },
            row -> row.getInt(1))
        .stream()
        .findFirst()
        .orElse(0);
  }

  void add(BatchName batch, int events) {
    long number = last + 1;
    session
        .changing()
        .update(
            ADD,
            statement -> {
              statement.setInt(1, session.store());
              statement.setLong(2, number);
              statement.setInt(3, batch.queue());
              statement.setString(4, batch.name());
              statement.setInt(5, events);
            });
    note(new Entry(number, batch.queue()));
  }

  void forget(long through) {
    session
        .changing()
        .update(
            FORGET,
            statement -> {
              statement.setInt(1, session.store());
              statement.setLong(2, through);
            });
    shares.forget(through);
  }

  /**
   * Evicts the oldest names of the queues with the most names while the limit is exceeded, as part
   * of the transaction and at most as many as one transaction may delete. A store opened with a
   * lower limit than before therefore exceeds it for some commits.
   */
  void forgetSurplus() {
    long surplus = Math.min(BatchShares.FORGOTTEN_AT_ONCE, shares.count() - limit);
    if (surplus <= 0) {
      return;
    }
    List<Long> numbers = new ArrayList<>();
    for (long left = surplus; left > 0; left--) {
      shortened = shares.largest().queue();
      numbers.add(shares.largest().oldest());
      shares.dropOfLargest();
    }
    session
        .changing()
        .changeIn(FORGET_EARLY, statement -> statement.setInt(1, session.store()), numbers);
    early += surplus;
  }

  void committed() {
    shares.commit();
    committedLast = last;
    committedEarly = early;
    figures = new BatchFigures(shares.count(), limit, early);
  }

  void undo() {
    shares.rollback();
    last = committedLast;
    early = committedEarly;
    shortened = 0;
  }

  /** The last queue that a name was evicted from; 0 for none. */
  int shortened() {
    return shortened;
  }

  /** As last committed. Any thread. */
  BatchFigures figures() {
    return figures;
  }
}
