package io.millrace.queuenode.store.mysql;

import java.util.List;

/** The row of a node's store, which determines who may write. Stateless. */
final class StoreDao {
  private static final String CREATE =
      """
      INSERT IGNORE INTO store (node, term, commits, last_seq) VALUES (?, 0, 0, 0)
      """;
  private static final String RAISE =
      """
      UPDATE store SET term = term + 1 WHERE node = ?
      """;
  private static final String RAISE_TO =
      """
      UPDATE store SET term = ? WHERE store = ? AND term = ?
      """;
  private static final String OPENED =
      """
      SELECT store, term, commits FROM store WHERE node = ?
      """;
  private static final String COUNT_COMMIT =
      """
      UPDATE store SET commits = commits + 1 WHERE store = ? AND term = ? AND commits = ?
      """;
  private static final String LOCKED =
      """
      SELECT store, term, commits FROM store WHERE store = ? FOR UPDATE
      """;

  private StoreDao() {}

  /** The store's row. */
  record Opening(int store, long term, long commits) {
    Opening committed() {
      return new Opening(store, term, commits + 1);
    }
  }

  /** Raises the term of the node's store, creating it if necessary; waits for the row's lock. */
  static Opening raise(SqlStatements sql, String node) {
    sql.update(CREATE, statement -> statement.setString(1, node));
    sql.update(RAISE, statement -> statement.setString(1, node));
    return sql.query(
            OPENED,
            statement -> statement.setString(1, node),
            row -> new Opening(row.getInt(1), row.getLong(2), row.getLong(3)))
        .get(0);
  }

  /** Raises the term of an opening that holds the row's lock. */
  static void raiseTo(SqlStatements sql, Opening opening, long term) {
    sql.update(
        RAISE_TO,
        statement -> {
          statement.setLong(1, term);
          statement.setInt(2, opening.store());
          statement.setLong(3, opening.term());
        });
  }

  /** Counts a commit and holds the row's lock; false if the row is not as this opening left it. */
  static boolean countCommit(SqlStatements sql, Opening opening) {
    int changed =
        sql.update(
            COUNT_COMMIT,
            statement -> {
              statement.setInt(1, opening.store());
              statement.setLong(2, opening.term());
              statement.setLong(3, opening.commits());
            });
    return changed > 0;
  }

  /** The current row, locked; all zero if it does not exist. */
  static Opening locked(SqlStatements sql, int store) {
    List<Opening> found =
        sql.query(
            LOCKED,
            statement -> statement.setInt(1, store),
            row -> new Opening(row.getInt(1), row.getLong(2), row.getLong(3)));
    return found.isEmpty() ? new Opening(store, 0, 0) : found.get(0);
  }
}
