package io.millrace.queuenode.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prepared statements over one connection, kept for its life. One thread at a time. */
final class Sql {
  /** Fills a statement's parameters. */
  interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  /** Fills a statement's parameters from one row. */
  interface RowBinder<T> {
    void bind(PreparedStatement statement, T row) throws SQLException;
  }

  /** Reads the row that the result set stands on. */
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static final int STATEMENT_ROWS = 500;

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  Sql(Connection connection) {
    this.connection = connection;
  }

  <T> List<T> query(String sql, Binder binder, Reader<T> reader) {
    try {
      PreparedStatement statement = prepared(sql);
      binder.bind(statement);
      List<T> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.add(reader.read(result));
        }
      }
      return rows;
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be read", e);
    }
  }

  int update(String sql, Binder binder) {
    try {
      PreparedStatement statement = prepared(sql);
      binder.bind(statement);
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be written", e);
    }
  }

  /** Runs the statement for each row and expects each to change exactly one. */
  <T> void each(String sql, List<T> rows, RowBinder<T> binder) {
    try {
      PreparedStatement statement = prepared(sql);
      for (int from = 0; from < rows.size(); from += STATEMENT_ROWS) {
        for (T row : rows.subList(from, Math.min(rows.size(), from + STATEMENT_ROWS))) {
          binder.bind(statement, row);
          statement.addBatch();
        }
        for (int changed : statement.executeBatch()) {
          if (changed != 1) {
            throw new IllegalStateException(
                "a row is not in the expected state: " + changed + " rows changed by " + sql);
          }
        }
      }
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be written", e);
    }
  }

  private PreparedStatement prepared(String sql) throws SQLException {
    PreparedStatement known = prepared.get(sql);
    if (known == null) {
      known = connection.prepareStatement(sql);
      prepared.put(sql, known);
    }
    return known;
  }
}
