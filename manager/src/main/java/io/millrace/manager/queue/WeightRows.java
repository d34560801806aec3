package io.millrace.manager.queue;

import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.queue.store.WeightTable;
import io.millrace.platform.database.Database;
import java.util.List;
import java.util.Map;

/**
 * The queues' weight rows, changed only by compare-and-set on their version (H-054). Thread-safe;
 * every method blocks on the database.
 */
public final class WeightRows {
  private final Database database;

  public WeightRows(Database database) {
    this.database = database;
  }

  /** Every row, by queue. */
  public List<QueueWeights> all() {
    return database.read(WeightTable::all);
  }

  /** Adds a queue's first row; false when it has one already. */
  boolean add(String queue, Map<String, Integer> points) {
    return database.transaction(handle -> WeightTable.add(handle, queue, points));
  }

  /** Replaces a row; false when it is not the expected one any more. */
  boolean replace(QueueWeights expected, Map<String, Integer> points) {
    return database.transaction(handle -> WeightTable.replace(handle, expected, points));
  }
}
