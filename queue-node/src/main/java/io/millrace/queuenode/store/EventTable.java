package io.millrace.queuenode.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * The rows of events in H2. One thread at a time.
 *
 * <p>H2 reads in the order of an index only when ORDER BY names all its columns, constant or not;
 * with {@code ORDER BY seq} alone it would sort the whole backlog at each lease.
 */
final class EventTable {
  private static final String STANDING =
      "seq, queue, stored_at, bytes, state, delivery, term, hold_ms, shared, alone, failures,"
          + " returns";
  private static final String INSERT =
      "INSERT INTO event (id, data, attributes, "
          + STANDING
          + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String READY =
      "SELECT "
          + STANDING
          + ", id, data, attributes FROM event"
          + " WHERE queue = ? AND state = 0 AND seq > ? ORDER BY queue, state, seq LIMIT ?";
  private static final String OLDEST =
      "SELECT stored_at FROM event WHERE queue = ? AND state = 0 ORDER BY queue, state, seq LIMIT 1";
  private static final String IN_STATE =
      "SELECT " + STANDING + " FROM event WHERE queue = ? AND state = ?";
  private static final String UPDATE =
      "UPDATE event SET state = ?, delivery = ?, term = ?, hold_ms = ?, shared = ?, alone = ?,"
          + " failures = ?, returns = ? WHERE seq = ? AND state = ?";
  private static final String BURY =
      "UPDATE event SET state = 3, failures = ?, returns = ?, reason = ?, died_at = ?"
          + " WHERE seq = ? AND state = 2";
  private static final String DELETE = "DELETE FROM event WHERE seq = ? AND state = 2";
  private static final String DEAD =
      "SELECT id, data, attributes, failures, returns, reason, died_at FROM event"
          + " WHERE queue = ? AND state = 3 ORDER BY queue DESC, state DESC, seq DESC LIMIT ?";
  private static final String LAST = "SELECT COALESCE(MAX(seq), 0) FROM event";

  /** The reads whose time must not depend on the backlog. */
  static final List<String> ORDERED_QUERIES = List.of(READY, OLDEST, DEAD);

  private final Sql sql;

  EventTable(Sql sql) {
    this.sql = sql;
  }

  long lastSeq() {
    return sql.query(LAST, statement -> {}, row -> row.getLong(1)).get(0);
  }

  List<Standing> in(int queue, EventState state) {
    return sql.query(
        IN_STATE,
        statement -> {
          statement.setInt(1, queue);
          statement.setInt(2, state.code());
        },
        EventTable::standing);
  }

  void insert(List<Rows.Row> rows) {
    sql.each(
        INSERT,
        rows,
        (statement, row) -> {
          NewEvent event = row.event();
          statement.setString(1, event.id());
          statement.setBytes(2, event.data());
          statement.setString(3, event.attributes());
          Standing standing = row.standing();
          statement.setLong(4, standing.seq());
          statement.setInt(5, standing.queue());
          statement.setLong(6, standing.storedAt());
          statement.setInt(7, standing.bytes());
          statement.setInt(8, standing.state().code());
          statement.setInt(9, standing.delivery());
          statement.setLong(10, standing.term());
          statement.setLong(11, standing.holdMillis());
          statement.setBoolean(12, standing.shared());
          statement.setBoolean(13, standing.alone());
          statement.setInt(14, standing.failures());
          statement.setInt(15, standing.returns());
        });
  }

  List<Rows.Row> ready(int queue, long after, int limit) {
    return sql.query(
        READY,
        statement -> {
          statement.setInt(1, queue);
          statement.setLong(2, after);
          statement.setInt(3, limit);
        },
        row ->
            new Rows.Row(
                standing(row),
                new NewEvent(
                    row.getString("id"), row.getBytes("data"), row.getString("attributes"))));
  }

  long oldestReady(int queue) {
    List<Long> oldest =
        sql.query(OLDEST, statement -> statement.setInt(1, queue), row -> row.getLong(1));
    return oldest.isEmpty() ? 0 : oldest.get(0);
  }

  void update(EventState expected, List<Standing> standings) {
    sql.each(
        UPDATE,
        standings,
        (statement, standing) -> {
          statement.setInt(1, standing.state().code());
          statement.setInt(2, standing.delivery());
          statement.setLong(3, standing.term());
          statement.setLong(4, standing.holdMillis());
          statement.setBoolean(5, standing.shared());
          statement.setBoolean(6, standing.alone());
          statement.setInt(7, standing.failures());
          statement.setInt(8, standing.returns());
          statement.setLong(9, standing.seq());
          statement.setInt(10, expected.code());
        });
  }

  void bury(List<Standing> standings, String reason, long diedAt) {
    sql.each(
        BURY,
        standings,
        (statement, standing) -> {
          statement.setInt(1, standing.failures());
          statement.setInt(2, standing.returns());
          statement.setString(3, reason);
          statement.setLong(4, diedAt);
          statement.setLong(5, standing.seq());
        });
  }

  void delete(List<Standing> leased) {
    sql.each(DELETE, leased, (statement, standing) -> statement.setLong(1, standing.seq()));
  }

  List<DeadRecord> dead(int queue, int limit) {
    return sql.query(
        DEAD,
        statement -> {
          statement.setInt(1, queue);
          statement.setInt(2, limit);
        },
        row ->
            new DeadRecord(
                new NewEvent(row.getString(1), row.getBytes(2), row.getString(3)),
                row.getInt(4),
                row.getInt(5),
                row.getString(6),
                Instant.ofEpochMilli(row.getLong(7))));
  }

  private static Standing standing(ResultSet row) throws SQLException {
    return new Standing(
        row.getLong(1),
        row.getInt(2),
        row.getLong(3),
        row.getInt(4),
        EventState.of(row.getInt(5)),
        row.getInt(6),
        row.getLong(7),
        row.getLong(8),
        row.getBoolean(9),
        row.getBoolean(10),
        row.getInt(11),
        row.getInt(12));
  }
}
