package io.millrace.platform.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Fills tables in one transaction, so that a load that is interrupted leaves them as they were. One
 * thread.
 */
public final class TableLoad implements TableRows {
  private static final int BATCH = 500;

  private final Connection connection;
  private final Dialect dialect;
  private PreparedStatement insert;
  private BitSet binary = new BitSet();
  private int pending;
  private long rows;

  TableLoad(Connection connection, Dialect dialect) {
    this.connection = connection;
    this.dialect = dialect;
  }

  /** Whether a table has no rows. */
  public boolean isEmpty(String table) {
    return sql(
        () -> {
          try (Statement statement = connection.createStatement();
              ResultSet result = statement.executeQuery("select 1 from " + table + " limit 1")) {
            return !result.next();
          }
        });
  }

  /** Deletes all rows of a table, unless the tables are of a version that does not have it. */
  public void clear(String table) {
    sql(
        () -> {
          if (exists(table)) {
            try (Statement statement = connection.createStatement()) {
              statement.executeUpdate("delete from " + table);
            }
          }
          return null;
        });
  }

  /** Whether the tables are of a version that has this one. */
  public boolean has(String table) {
    return sql(() -> exists(table));
  }

  private boolean exists(String table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select 1 from information_schema.tables where table_schema = schema()"
                + " and lower(table_name) = ?")) {
      statement.setString(1, table);
      try (ResultSet found = statement.executeQuery()) {
        return found.next();
      }
    }
  }

  @Override
  public void table(String name, List<String> columns) throws IOException {
    sql(
        () -> {
          finishTable();
          binary = binaryColumns(name, columns);
          String places = String.join(", ", Collections.nCopies(columns.size(), "?"));
          insert =
              connection.prepareStatement(
                  "insert into "
                      + name
                      + " ("
                      + String.join(", ", columns)
                      + ") values ("
                      + places
                      + ")");
          return null;
        });
  }

  @Override
  public void row(List<Object> values) throws IOException {
    sql(
        () -> {
          for (int i = 0; i < values.size(); i++) {
            insert.setObject(i + 1, binary.get(i) ? bytes(values.get(i)) : values.get(i));
          }
          insert.addBatch();
          rows++;
          if (++pending >= BATCH) {
            insert.executeBatch();
            pending = 0;
          }
          return null;
        });
  }

  /** Which of the columns hold bytes; a copy has them as text. */
  private BitSet binaryColumns(String table, List<String> columns) throws SQLException {
    BitSet found = new BitSet();
    try (Statement statement = connection.createStatement();
        ResultSet none =
            statement.executeQuery(
                "select " + String.join(", ", columns) + " from " + table + " where 1 = 0")) {
      ResultSetMetaData types = none.getMetaData();
      for (int i = 0; i < columns.size(); i++) {
        found.set(i, TableExport.isBinary(types.getColumnType(i + 1)));
      }
    }
    return found;
  }

  private static Object bytes(Object value) throws SQLException {
    try {
      return value instanceof String text ? Base64.getDecoder().decode(text) : value;
    } catch (IllegalArgumentException e) {
      throw new SQLException("a value is not Base64", e);
    }
  }

  private void finishTable() throws SQLException {
    if (insert != null) {
      if (pending > 0) {
        insert.executeBatch();
        pending = 0;
      }
      insert.close();
      insert = null;
    }
  }

  /** Rows loaded so far. */
  public long rows() {
    return rows;
  }

  /** The same transaction for statements on what was loaded. */
  public Handle handle() {
    sql(
        () -> {
          finishTable();
          return null;
        });
    Jdbi jdbi = Jdbi.create(() -> connection);
    UtcInstants.register(jdbi);
    return jdbi.open();
  }

  /** The next generated id by table, of those of the tables that exist and have one. */
  public Map<String, Long> nextIds(List<String> tables) {
    return sql(() -> new GeneratedIds(connection, dialect).next(tables));
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private static <T> T sql(Work<T> work) {
    try {
      return work.run();
    } catch (SQLException e) {
      throw Database.copyFailed(e);
    }
  }
}
