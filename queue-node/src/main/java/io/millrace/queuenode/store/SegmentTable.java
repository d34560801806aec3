package io.millrace.queuenode.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rows of segments in H2: numbers and figures of queues. One thread at a time. */
final class SegmentTable {
  private static final String NAMES = "SELECT name, queue FROM segment";
  private static final String ADD = "INSERT INTO segment (name) VALUES (?)";
  private static final String NUMBER = "SELECT queue FROM segment WHERE name = ?";
  private static final String TOTALS =
      "SELECT queue, waiting, delayed, leased, dead, bytes, inserted, delivered, acknowledged,"
          + " failed, returned, delays FROM segment WHERE delays IS NOT NULL";
  private static final String SAVE =
      "UPDATE segment SET waiting = ?, delayed = ?, leased = ?, dead = ?, bytes = ?, inserted = ?,"
          + " delivered = ?, acknowledged = ?, failed = ?, returned = ?, delays = ?"
          + " WHERE queue = ?";

  private final Sql sql;

  SegmentTable(Sql sql) {
    this.sql = sql;
  }

  private record Named(String name, int queue) {}

  private record Numbered(int queue, SegmentTotals totals) {}

  Map<String, Integer> queues() {
    Map<String, Integer> queues = new HashMap<>();
    sql.query(NAMES, statement -> {}, row -> new Named(row.getString(1), row.getInt(2)))
        .forEach(named -> queues.put(named.name(), named.queue()));
    return queues;
  }

  int add(String name) {
    sql.update(ADD, statement -> statement.setString(1, name));
    return sql.query(NUMBER, statement -> statement.setString(1, name), row -> row.getInt(1))
        .get(0);
  }

  Map<Integer, SegmentTotals> totals() {
    Map<Integer, SegmentTotals> totals = new HashMap<>();
    sql.query(TOTALS, statement -> {}, row -> new Numbered(row.getInt(1), totals(row)))
        .forEach(numbered -> totals.put(numbered.queue(), numbered.totals()));
    return totals;
  }

  private static SegmentTotals totals(ResultSet row) throws SQLException {
    List<Long> delays = Arrays.asList(row.getObject(12, Long[].class));
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
        List.copyOf(delays));
  }

  void save(int queue, SegmentTotals totals) {
    sql.update(
        SAVE,
        statement -> {
          statement.setLong(1, totals.waiting());
          statement.setLong(2, totals.delayed());
          statement.setLong(3, totals.leased());
          statement.setLong(4, totals.dead());
          statement.setLong(5, totals.bytes());
          statement.setLong(6, totals.inserted());
          statement.setLong(7, totals.delivered());
          statement.setLong(8, totals.acknowledged());
          statement.setLong(9, totals.failed());
          statement.setLong(10, totals.returned());
          statement.setObject(11, totals.delays().toArray(new Long[0]));
          statement.setInt(12, queue);
        });
  }
}
