package io.millrace.queuenode.store;

import io.millrace.queuenode.store.Rows.BatchName;

/**
 * The names of batches stored lately, on a server; here only their number is known. One thread at a
 * time, except {@link #figures}.
 */
final class SqlBatches {
  private static final String RANGE =
      "SELECT MIN(number), MAX(number) FROM store_batch WHERE store = ?";
  private static final String SIZE = "SELECT events FROM store_batch WHERE queue = ? AND name = ?";
  private static final String ADD =
      "INSERT INTO store_batch (store, number, queue, name, events) VALUES (?, ?, ?, ?, ?)";
  private static final String FORGET = "DELETE FROM store_batch WHERE store = ? AND number <= ?";

  private final SqlSession session;
  private final int limit;
  private long first;
  private long last;
  private long committedFirst;
  private long committedLast;
  private long early;
  private long surplus;
  private volatile BatchFigures figures;

  SqlBatches(SqlSession session, int limit) {
    this.session = session;
    this.limit = limit;
    this.figures = new BatchFigures(0, limit, 0);
  }

  /** Takes note of those that the store has. */
  void open() {
    session
        .reading()
        .query(
            RANGE,
            statement -> statement.setInt(1, session.store()),
            row -> {
              // Both are null, which reads as 0, when there is none.
              last = row.getLong(2);
              first = last == 0 ? 1 : row.getLong(1);
              return last;
            });
    committed();
  }

  long first() {
    return first;
  }

  long last() {
    return last;
  }

  /** How many events the batch had, 0 when it is not known. */
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
    last = number;
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
    first = Math.max(first, Math.min(through, last) + 1);
  }

  /**
   * Forgets the oldest when there are more than the limit, as part of the transaction: so many at
   * once as a transaction may delete. A store that had a higher limit has more than its new one
   * for some commits.
   */
  void forgetSurplus() {
    surplus = Math.min(Puts.FORGOTTEN_AT_ONCE, Math.max(0, last - first + 1 - limit));
    if (surplus > 0) {
      forget(first + surplus - 1);
    }
  }

  void committed() {
    committedFirst = first;
    committedLast = last;
    early += surplus;
    surplus = 0;
    figures = new BatchFigures(last - first + 1, limit, early);
  }

  void undo() {
    first = committedFirst;
    last = committedLast;
    surplus = 0;
  }

  /** As last committed. Any thread. */
  BatchFigures figures() {
    return figures;
  }
}
