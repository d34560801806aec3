package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.DeliveryState;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.Rows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the rows of a store's events on a server. One thread at a time.
 *
 * <p>Events with the same change share a statement, as nearly all of a request do.
 */
final class ChangeDao {
  private static final String INSERT =
      """
      INSERT INTO store_event (store, seq, queue, urgency, stored_at, bytes, state, delivery,
        term, held_at, hold_ms, shared, alone, failures, returns, id, data, attributes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;
  private static final String UPDATE =
      """
      UPDATE store_event SET state = ?, delivery = ?, term = ?, held_at = ?, hold_ms = ?, \
      shared = ?, alone = ?, failures = ?, returns = ? \
      WHERE store = ? AND state = ? AND seq IN ({numbers})\
      """;
  private static final String MARK_DEAD =
      """
      UPDATE store_event SET state = ?, delivery = ?, term = ?, held_at = ?, hold_ms = ?, \
      shared = ?, alone = ?, failures = ?, returns = ?, reason = ?, died_at = ? \
      WHERE store = ? AND state = ? AND seq IN ({numbers})\
      """;
  private static final String DELETE =
      """
      DELETE FROM store_event WHERE store = ? AND state = ? AND seq IN ({numbers})\
      """;
  private static final String NUMBERED =
      """
      UPDATE store SET last_seq = ? WHERE store = ?
      """;

  private final SqlSession session;
  // The highest sequence number inserted since the last commit or rollback; 0 for none.
  private long inserted;

  ChangeDao(SqlSession session) {
    this.session = session;
  }

  /** The part of an event's row that deliveries change. */
  private record ChangeRow(
      EventState state,
      int delivery,
      long term,
      long heldAt,
      long holdMillis,
      boolean shared,
      boolean alone,
      int failures,
      int returns) {
    static ChangeRow of(DeliveryState delivery) {
      return new ChangeRow(
          delivery.state(),
          delivery.number(),
          delivery.term(),
          delivery.heldAt(),
          delivery.holdMillis(),
          delivery.shared(),
          delivery.alone(),
          delivery.failures(),
          delivery.returns());
    }

    /** Fills the parameters from the first on; returns the number of the next one. */
    int bind(PreparedStatement statement, int first) throws SQLException {
      int next = first;
      statement.setInt(next++, state.code());
      statement.setInt(next++, delivery);
      statement.setLong(next++, term);
      statement.setLong(next++, heldAt);
      statement.setLong(next++, holdMillis);
      statement.setBoolean(next++, shared);
      statement.setBoolean(next++, alone);
      statement.setInt(next++, failures);
      statement.setInt(next++, returns);
      return next;
    }
  }

  /** Inserts events in the order of their sequence numbers. */
  void insert(List<Rows.Row> rows) {
    session
        .changing()
        .run(
            INSERT,
            rows,
            (statement, row) -> {
              DeliveryState delivery = row.delivery();
              statement.setInt(1, session.store());
              statement.setLong(2, delivery.seq());
              statement.setInt(3, delivery.queue());
              statement.setInt(4, EventDao.urgency(delivery));
              statement.setLong(5, delivery.storedAt());
              statement.setInt(6, delivery.bytes());
              int next = ChangeRow.of(delivery).bind(statement, 7);
              statement.setString(next, row.event().id());
              statement.setBytes(next + 1, row.event().data());
              statement.setString(next + 2, row.event().attributes());
            });
    if (!rows.isEmpty()) {
      inserted = rows.get(rows.size() - 1).delivery().seq();
    }
  }

  /** Writes the highest sequence number, once per transaction, before its commit. */
  void complete() {
    if (inserted > 0) {
      session
          .changing()
          .update(
              NUMBERED,
              statement -> {
                statement.setLong(1, inserted);
                statement.setInt(2, session.store());
              });
    }
    inserted = 0;
  }

  /** Discards what was inserted since the last commit. */
  void undo() {
    inserted = 0;
  }

  void update(EventState expected, List<DeliveryState> deliveries) {
    byChange(deliveries)
        .forEach(
            (change, seqs) ->
                session
                    .changing()
                    .changeIn(
                        UPDATE,
                        statement -> bindNamed(statement, change.bind(statement, 1), expected),
                        seqs));
  }

  void markDead(EventState expected, List<DeliveryState> deliveries, String reason, long diedAt) {
    byChange(deliveries)
        .forEach(
            (change, seqs) ->
                session
                    .changing()
                    .changeIn(
                        MARK_DEAD,
                        statement -> {
                          int next = change.bind(statement, 1);
                          statement.setString(next, reason);
                          statement.setLong(next + 1, diedAt);
                          bindNamed(statement, next + 2, expected);
                        },
                        seqs));
  }

  private static Map<ChangeRow, List<Long>> byChange(List<DeliveryState> deliveries) {
    Map<ChangeRow, List<Long>> seqs = new LinkedHashMap<>();
    for (DeliveryState delivery : deliveries) {
      seqs.computeIfAbsent(ChangeRow.of(delivery), change -> new ArrayList<>()).add(delivery.seq());
    }
    return seqs;
  }

  void delete(EventState expected, List<DeliveryState> deliveries) {
    if (!deliveries.isEmpty()) {
      session
          .changing()
          .changeIn(
              DELETE,
              statement -> bindNamed(statement, 1, expected),
              deliveries.stream().map(DeliveryState::seq).toList());
    }
  }

  private void bindNamed(PreparedStatement statement, int first, EventState expected)
      throws SQLException {
    statement.setInt(first, session.store());
    statement.setInt(first + 1, expected.code());
  }
}
