package io.millrace.queuenode.store.mysql;

import io.millrace.queuenode.store.StoreFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prepared statements of one connection to a server, kept until it is closed. One thread at a time.
 */
final class SqlStatements {
  /** Fills the parameters of a statement. */
  interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  /** Fills the parameters of a statement from one row. */
  interface RowBinder<T> {
    void bind(PreparedStatement statement, T row) throws SQLException;
  }

  /** Reads the current row of the result set. */
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /**
   * Placeholder for the question marks of an {@code IN} list, which are the last of a statement.
   */
  static final String NUMBERS = "{numbers}";

  private static final int ROWS_AT_ONCE = 500;
  // Few list lengths, so that few statements are prepared; the last number is repeated as padding.
  private static final int[] LENGTHS = {1, 10, 100, ROWS_AT_ONCE};

  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  SqlStatements(Connection connection) {
    this.connection = connection;
  }

  <T> List<T> query(String sql, Binder binder, Reader<T> reader) {
    try {
      PreparedStatement statement = prepared(sql);
      binder.bind(statement);
      return read(statement, reader);
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be read", e);
    }
  }

  private static <T> List<T> read(PreparedStatement statement, Reader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.add(reader.read(result));
      }
    }
    return rows;
  }

  int update(String sql, Binder binder) {
    try {
      PreparedStatement statement = prepared(sql);
      binder.bind(statement);
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw written(e);
    }
  }

  /** Runs the statement for each row; the driver sends them in batches. */
  <T> void run(String sql, List<T> rows, RowBinder<T> binder) {
    try {
      PreparedStatement statement = prepared(sql);
      for (List<T> part : parts(rows)) {
        for (T row : part) {
          binder.bind(statement, row);
          statement.addBatch();
        }
        statement.executeBatch();
      }
    } catch (SQLException e) {
      throw written(e);
    }
  }

  /** Reads the rows of the numbers in the statement's list, in any order. */
  <T> List<T> queryIn(String sql, Binder binder, List<Long> numbers, Reader<T> reader) {
    try {
      List<T> rows = new ArrayList<>();
      for (List<Long> part : parts(numbers)) {
        rows.addAll(read(bound(sql, binder, part), reader));
      }
      return rows;
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be read", e);
    }
  }

  /** Runs the statement for the numbers in its list and expects each one's row to change. */
  void changeIn(String sql, Binder binder, List<Long> numbers) {
    try {
      for (List<Long> part : parts(numbers)) {
        int changed = bound(sql, binder, part).executeUpdate();
        if (changed != part.size()) {
          throw new IllegalStateException(
              changed + " of " + part.size() + " rows are in the expected state for " + sql);
        }
      }
    } catch (SQLException e) {
      throw written(e);
    }
  }

  private PreparedStatement bound(String sql, Binder binder, List<Long> numbers)
      throws SQLException {
    int length = length(numbers.size());
    PreparedStatement statement = prepared(sql.replace(NUMBERS, "?" + ", ?".repeat(length - 1)));
    binder.bind(statement);
    int before = Math.toIntExact(sql.chars().filter(character -> character == '?').count());
    for (int i = 0; i < length; i++) {
      statement.setLong(before + i + 1, numbers.get(Math.min(i, numbers.size() - 1)));
    }
    return statement;
  }

  private static int length(int numbers) {
    int i = 0;
    while (LENGTHS[i] < numbers) {
      i++;
    }
    return LENGTHS[i];
  }

  private static <T> List<List<T>> parts(List<T> rows) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += ROWS_AT_ONCE) {
      parts.add(rows.subList(from, Math.min(rows.size(), from + ROWS_AT_ONCE)));
    }
    return parts;
  }

  private PreparedStatement prepared(String sql) throws SQLException {
    PreparedStatement known = prepared.get(sql);
    if (known == null) {
      known = connection.prepareStatement(sql);
      prepared.put(sql, known);
    }
    return known;
  }

  private static StoreFailure written(SQLException cause) {
    return new StoreFailure("the store could not be written", cause);
  }
}
