package io.millrace.queuenode.store;

import io.millrace.queuenode.store.Rows.BatchName;
import java.util.List;

/** The names of batches stored lately, on a server. One thread at a time. */
final class SqlBatches {
  private static final String ALL =
      "SELECT queue, name FROM store_batch WHERE store = ? ORDER BY number";
  private static final String SIZE = "SELECT events FROM store_batch WHERE queue = ? AND name = ?";
  private static final String ADD =
      "INSERT INTO store_batch (store, queue, name, events) VALUES (?, ?, ?, ?)";
  private static final String REMOVE = "DELETE FROM store_batch WHERE queue = ? AND name = ?";

  private final SqlSession session;

  SqlBatches(SqlSession session) {
    this.session = session;
  }

  List<BatchName> all() {
    return session
        .reading()
        .query(
            ALL,
            statement -> statement.setInt(1, session.store()),
            row -> new BatchName(row.getInt(1), row.getString(2)));
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
    session
        .changing()
        .update(
            ADD,
            statement -> {
              statement.setInt(1, session.store());
              statement.setInt(2, batch.queue());
              statement.setString(3, batch.name());
              statement.setInt(4, events);
            });
  }

  void remove(List<BatchName> batches) {
    if (batches.isEmpty()) {
      return;
    }
    session
        .changing()
        .run(
            REMOVE,
            batches,
            (statement, batch) -> {
              statement.setInt(1, batch.queue());
              statement.setString(2, batch.name());
            });
  }
}
