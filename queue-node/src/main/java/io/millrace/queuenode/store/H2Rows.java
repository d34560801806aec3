package io.millrace.queuenode.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tables of a store in an embedded H2 database, over one connection. */
final class H2Rows implements Rows {
  private static final String RAISE = "UPDATE opening SET term = term + 1";
  private static final String TERM = "SELECT term FROM opening";
  private static final String BATCHES = "SELECT queue, name FROM batch ORDER BY number";
  private static final String BATCH = "SELECT events FROM batch WHERE queue = ? AND name = ?";
  private static final String ADD_BATCH =
      "INSERT INTO batch (queue, name, events) VALUES (?, ?, ?)";
  private static final String REMOVE_BATCH = "DELETE FROM batch WHERE queue = ? AND name = ?";

  private final Connection connection;
  private final StoreFolder folder;
  private final Sql sql;
  private final EventTable events;
  private final SegmentTable segments;

  /** Takes the connection and the folder's lock; both are freed by {@link #close}. */
  H2Rows(Connection connection, StoreFolder folder) {
    this.connection = connection;
    this.folder = folder;
    this.sql = new Sql(connection);
    this.events = new EventTable(sql);
    this.segments = new SegmentTable(sql);
  }

  @Override
  public long raiseTerm() {
    sql.update(RAISE, statement -> {});
    commit();
    return sql.query(TERM, statement -> {}, row -> row.getLong(1)).get(0);
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
  public List<Standing> held() {
    List<Standing> held = new ArrayList<>();
    for (int queue : segments.queues().values()) {
      held.addAll(events.in(queue, EventState.LEASED));
      held.addAll(events.in(queue, EventState.DELAYED));
    }
    return held;
  }

  @Override
  public List<BatchName> batches() {
    return sql.query(
        BATCHES, statement -> {}, row -> new BatchName(row.getInt(1), row.getString(2)));
  }

  @Override
  public int addQueue(String name) {
    return segments.add(name);
  }

  @Override
  public void insert(List<Row> rows) {
    events.insert(rows);
  }

  @Override
  public List<Row> ready(int queue, long after, int limit) {
    return events.ready(queue, after, limit);
  }

  @Override
  public long oldestReady(int queue) {
    return events.oldestReady(queue);
  }

  @Override
  public void update(EventState expected, List<Standing> standings) {
    events.update(expected, standings);
  }

  @Override
  public void bury(List<Standing> standings, String reason, long diedAt) {
    events.bury(standings, reason, diedAt);
  }

  @Override
  public void delete(List<Standing> leased) {
    events.delete(leased);
  }

  @Override
  public List<DeadRecord> dead(int queue, int limit) {
    return events.dead(queue, limit);
  }

  @Override
  public int batch(BatchName batch) {
    List<Integer> events =
        sql.query(
            BATCH,
            statement -> {
              statement.setInt(1, batch.queue());
              statement.setString(2, batch.name());
            },
            row -> row.getInt(1));
    return events.isEmpty() ? 0 : events.get(0);
  }

  @Override
  public void addBatch(BatchName batch, int size) {
    sql.update(
        ADD_BATCH,
        statement -> {
          statement.setInt(1, batch.queue());
          statement.setString(2, batch.name());
          statement.setInt(3, size);
        });
  }

  @Override
  public void removeBatches(List<BatchName> batches) {
    sql.each(
        REMOVE_BATCH,
        batches,
        (statement, batch) -> {
          statement.setInt(1, batch.queue());
          statement.setString(2, batch.name());
        });
  }

  @Override
  public void saveTotals(int queue, SegmentTotals totals) {
    segments.save(queue, totals);
  }

  @Override
  public void commit() {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be written", e);
    }
  }

  @Override
  public void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new StoreFailure("the store could not undo a transaction", e);
    }
  }

  /** CHECKPOINT SYNC is what makes H2 call fsync; a commit alone leaves it to the system. */
  @Override
  public void force() {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CHECKPOINT SYNC");
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be forced to disk", e);
    }
  }

  @Override
  public void close() {
    try (folder) {
      if (!connection.isClosed()) {
        connection.rollback();
        connection.close();
      }
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be closed", e);
    }
  }
}
