package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.DeliveryState;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads the rows of a store's events on a server. One thread at a time.
 *
 * <p>Reads name their index, because their time must not depend on the backlog: without a hint the
 * optimizer may scan the primary key, expecting rows of the right state near its start.
 */
final class EventDao {
  private static final int HIGHEST_PRIORITY = 9;
  private static final String READY =
      """
      SELECT seq, queue, urgency, stored_at, bytes, state, delivery, term, held_at, hold_ms,
        shared, alone, failures, returns, id, data, attributes
      FROM store_event FORCE INDEX (store_event_by_turn)
      WHERE queue = ? AND state = 0 AND (urgency > ? OR (urgency = ? AND seq > ?))
      ORDER BY urgency, seq LIMIT ?
      """;
  private static final String OLDEST =
      """
      SELECT stored_at
      FROM store_event FORCE INDEX (store_event_by_age)
      WHERE queue = ? AND state = 0 ORDER BY seq LIMIT 1
      """;
  private static final String IN_STATE =
      """
      SELECT seq, queue, urgency, stored_at, bytes, state, delivery, term, held_at, hold_ms,
        shared, alone, failures, returns, id, data, attributes
      FROM store_event FORCE INDEX (store_event_by_age)
      WHERE queue = ? AND state = ? AND seq > ? ORDER BY seq LIMIT ?
      """;
  private static final String DEAD =
      """
      SELECT seq, queue, urgency, stored_at, bytes, state, delivery, term, held_at, hold_ms,
        shared, alone, failures, returns, id, data, attributes, reason, died_at
      FROM store_event FORCE INDEX (store_event_by_age)
      WHERE queue = ? AND state = 3 AND seq < ? ORDER BY seq DESC LIMIT ?
      """;
  private static final String HELD =
      """
      SELECT seq, queue, urgency, stored_at, bytes, state, delivery, term, held_at, hold_ms,
        shared, alone, failures, returns
      FROM store_event FORCE INDEX (store_event_by_age)
      WHERE queue = ? AND state IN (1, 2)
      """;
  private static final String FIND =
      """
      SELECT seq, queue, urgency, stored_at, bytes, state, delivery, term, held_at, hold_ms,
        shared, alone, failures, returns, id, data, attributes
      FROM store_event WHERE queue = ? AND state = ? AND store = ? AND seq IN ({numbers})
      """;
  private static final String LAST =
      """
      SELECT last_seq FROM store WHERE store = ?
      """;

  private final SqlSession session;

  EventDao(SqlSession session) {
    this.session = session;
  }

  /** The value that the index of ready events has instead of the priority. */
  static int urgency(DeliveryState delivery) {
    return HIGHEST_PRIORITY - delivery.priority();
  }

  long lastSeq() {
    return session
        .reading()
        .query(LAST, statement -> statement.setInt(1, session.store()), row -> row.getLong(1))
        .get(0);
  }

  List<DeliveryState> held(int queue) {
    return session
        .reading()
        .query(HELD, statement -> statement.setInt(1, queue), EventDao::delivery);
  }

  List<Rows.Row> ready(int queue, DeliveryState after, int limit) {
    int urgency = after == null ? -1 : urgency(after);
    return session
        .reading()
        .query(
            READY,
            statement -> {
              statement.setInt(1, queue);
              statement.setInt(2, urgency);
              statement.setInt(3, urgency);
              statement.setLong(4, after == null ? 0 : after.seq());
              statement.setInt(5, limit);
            },
            EventDao::row);
  }

  long oldestReady(int queue) {
    List<Long> oldest =
        session
            .reading()
            .query(OLDEST, statement -> statement.setInt(1, queue), row -> row.getLong(1));
    return oldest.isEmpty() ? 0 : oldest.get(0);
  }

  List<Rows.Row> in(int queue, EventState state, long afterSeq, int limit) {
    return session
        .reading()
        .query(
            IN_STATE,
            statement -> {
              statement.setInt(1, queue);
              statement.setInt(2, state.code());
              statement.setLong(3, afterSeq);
              statement.setInt(4, limit);
            },
            EventDao::row);
  }

  List<Rows.Row> find(int queue, EventState state, List<Long> seqs) {
    return session
        .reading()
        .queryIn(
            FIND,
            statement -> {
              statement.setInt(1, queue);
              statement.setInt(2, state.code());
              statement.setInt(3, session.store());
            },
            seqs.stream().distinct().toList(),
            EventDao::row);
  }

  List<Rows.DeadRow> dead(int queue, long beforeSeq, int limit) {
    return session
        .reading()
        .query(
            DEAD,
            statement -> {
              statement.setInt(1, queue);
              statement.setLong(2, beforeSeq);
              statement.setInt(3, limit);
            },
            row -> new Rows.DeadRow(delivery(row), event(row), row.getString(18), row.getLong(19)));
  }

  private static Rows.Row row(ResultSet row) throws SQLException {
    return new Rows.Row(delivery(row), event(row));
  }

  private static NewEvent event(ResultSet row) throws SQLException {
    int priority = HIGHEST_PRIORITY - row.getInt(3);
    return new NewEvent(row.getString(15), row.getBytes(16), row.getString(17), priority, 0);
  }

  private static DeliveryState delivery(ResultSet row) throws SQLException {
    return new DeliveryState(
        row.getLong(1),
        row.getInt(2),
        HIGHEST_PRIORITY - row.getInt(3),
        row.getLong(4),
        row.getInt(5),
        EventState.of(row.getInt(6)),
        row.getInt(7),
        row.getLong(8),
        row.getLong(9),
        row.getLong(10),
        row.getBoolean(11),
        row.getBoolean(12),
        row.getInt(13),
        row.getInt(14));
  }
}
