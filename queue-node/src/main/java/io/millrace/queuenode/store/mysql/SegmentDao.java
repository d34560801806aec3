package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.SegmentTotals;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The rows of a store's segments on a server: numbers and figures of queues. One thread at a time.
 */
final class SegmentDao {
  private static final String NAMES =
      """
      SELECT name, queue FROM store_segment WHERE store = ?
      """;
  private static final String ADD =
      """
      INSERT INTO store_segment (store, name) VALUES (?, ?)
      """;
  private static final String VERSIONS =
      """
      SELECT v.queue, v.version
      FROM store_segment_version v JOIN store_segment s ON s.queue = v.queue
      WHERE s.store = ?
      """;
  private static final String ADD_VERSION =
      """
      INSERT INTO store_segment_version (queue, version) VALUES (?, ?)
      """;
  private static final String REMOVE =
      """
      DELETE FROM store_segment WHERE queue = ?
      """;
  private static final String REMOVE_VERSION =
      """
      DELETE FROM store_segment_version WHERE queue = ?
      """;
  private static final String NUMBER =
      """
      SELECT queue FROM store_segment WHERE store = ? AND name = ?
      """;
  private static final String TOTALS =
      """
      SELECT queue, waiting, held_back, leased, dead, bytes, inserted, inserted_bytes, delivered,
        delivered_bytes, acknowledged, failed, returned, dropped, delays
      FROM store_segment WHERE store = ? AND delays IS NOT NULL
      """;
  private static final String SAVE =
      """
      UPDATE store_segment SET waiting = ?, held_back = ?, leased = ?, dead = ?, bytes = ?,
        inserted = ?, inserted_bytes = ?, delivered = ?, delivered_bytes = ?,
        acknowledged = ?, failed = ?, returned = ?, dropped = ?, delays = ?
      WHERE queue = ?
      """;

  private final SqlSession session;

  SegmentDao(SqlSession session) {
    this.session = session;
  }

  private record Named(String name, int queue) {}

  private record Begun(int queue, int version) {}

  private record Numbered(int queue, SegmentTotals totals) {}

  Map<String, Integer> queues() {
    Map<String, Integer> queues = new HashMap<>();
    session
        .reading()
        .query(
            NAMES,
            statement -> statement.setInt(1, session.store()),
            row -> new Named(row.getString(1), row.getInt(2)))
        .forEach(named -> queues.put(named.name(), named.queue()));
    return queues;
  }

  /** The versions under which segments began, by queue. */
  Map<Integer, Integer> versions() {
    Map<Integer, Integer> versions = new HashMap<>();
    session
        .reading()
        .query(
            VERSIONS,
            statement -> statement.setInt(1, session.store()),
            row -> new Begun(row.getInt(1), row.getInt(2)))
        .forEach(begun -> versions.put(begun.queue(), begun.version()));
    return versions;
  }

  int add(String name, int version) {
    SqlStatements.Binder binder =
        statement -> {
          statement.setInt(1, session.store());
          statement.setString(2, name);
        };
    session.changing().update(ADD, binder);
    int queue = session.reading().query(NUMBER, binder, row -> row.getInt(1)).get(0);
    session
        .changing()
        .update(
            ADD_VERSION,
            statement -> {
              statement.setInt(1, queue);
              statement.setInt(2, version);
            });
    return queue;
  }

  void remove(int queue) {
    session.changing().update(REMOVE, statement -> statement.setInt(1, queue));
    session.changing().update(REMOVE_VERSION, statement -> statement.setInt(1, queue));
  }

  Map<Integer, SegmentTotals> totals() {
    Map<Integer, SegmentTotals> totals = new HashMap<>();
    session
        .reading()
        .query(
            TOTALS,
            statement -> statement.setInt(1, session.store()),
            row -> new Numbered(row.getInt(1), totals(row)))
        .forEach(numbered -> totals.put(numbered.queue(), numbered.totals()));
    return totals;
  }

  private static SegmentTotals totals(ResultSet row) throws SQLException {
    List<Long> delays = Arrays.stream(row.getString(15).split(",", -1)).map(Long::valueOf).toList();
    return new SegmentTotals(
        row.getLong(2),
        row.getLong(3),
        row.getLong(4),
        row.getLong(5),
        row.getLong(6),
        0,
        row.getLong(7),
        row.getLong(8),
        row.getLong(9),
        row.getLong(10),
        row.getLong(11),
        row.getLong(12),
        row.getLong(13),
        row.getLong(14),
        delays);
  }

  void save(int queue, SegmentTotals totals) {
    session
        .changing()
        .update(
            SAVE,
            statement -> {
              statement.setLong(1, totals.waiting());
              statement.setLong(2, totals.delayed());
              statement.setLong(3, totals.leased());
              statement.setLong(4, totals.dead());
              statement.setLong(5, totals.bytes());
              statement.setLong(6, totals.inserted());
              statement.setLong(7, totals.insertedBytes());
              statement.setLong(8, totals.delivered());
              statement.setLong(9, totals.deliveredBytes());
              statement.setLong(10, totals.acknowledged());
              statement.setLong(11, totals.failed());
              statement.setLong(12, totals.returned());
              statement.setLong(13, totals.dropped());
              statement.setString(
                  14,
                  totals.delays().stream().map(String::valueOf).collect(Collectors.joining(",")));
              statement.setInt(15, queue);
            });
  }
}
