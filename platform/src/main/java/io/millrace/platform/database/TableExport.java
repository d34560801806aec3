package io.millrace.platform.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads tables as they were at one moment, row by row, whatever changes meanwhile. Holds no locks
 * and little memory. One thread.
 */
final class TableExport {
  /** H2's isolation level in which all statements of a transaction see one moment. */
  private static final int H2_SNAPSHOT = 6;

  private static final Logger LOGGER = LoggerFactory.getLogger(TableExport.class);
  private static final int SILENT_SECONDS = 120;

  private final Connection connection;
  private final Dialect dialect;

  TableExport(Connection connection, Dialect dialect) {
    this.connection = connection;
    this.dialect = dialect;
  }

  /** Begins the moment that is read; the connection is used for nothing else until it is closed. */
  void begin() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (dialect == Dialect.H2) {
        connection.setTransactionIsolation(H2_SNAPSHOT);
        connection.setAutoCommit(false);
        // Otherwise H2 collects the whole table before it returns the first row.
        statement.execute("SET LAZY_QUERY_EXECUTION 1");
        statement.execute("SET QUERY_TIMEOUT 0");
        // The moment is that of the first read.
        statement.executeQuery("select count(*) from claim where 1 = 0").close();
        return;
      }
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      // The transaction waits for the disk that the rows are written to, longer than others may.
      statement.execute(SessionLimits.patient(SILENT_SECONDS));
      connection.setAutoCommit(false);
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }
  }

  /** Passes all rows of the tables on; returns how many there are. */
  long write(List<String> tables, TableRows to) throws SQLException, IOException {
    long rows = 0;
    for (String table : tables) {
      rows += write(table, to);
    }
    return rows;
  }

  private long write(String table, TableRows to) throws SQLException, IOException {
    try (Statement statement =
        connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
      // MySQL's driver reads row by row for this value only.
      statement.setFetchSize(dialect == Dialect.H2 ? 500 : Integer.MIN_VALUE);
      try (ResultSet result = statement.executeQuery("select * from " + table)) {
        ResultSetMetaData columns = result.getMetaData();
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          names.add(columns.getColumnName(i).toLowerCase(Locale.ROOT));
        }
        to.table(table, names);
        long rows = 0;
        while (result.next()) {
          List<Object> values = new ArrayList<>(names.size());
          for (int i = 1; i <= names.size(); i++) {
            values.add(value(result, i, columns.getColumnType(i)));
          }
          to.row(values);
          rows++;
        }
        return rows;
      }
    }
  }

  private static Object value(ResultSet row, int column, int type) throws SQLException {
    if (isBinary(type)) {
      return text(row.getBytes(column));
    }
    Object value =
        switch (type) {
          case Types.BOOLEAN, Types.BIT -> row.getBoolean(column);
          case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> row.getLong(column);
          case Types.REAL, Types.FLOAT, Types.DOUBLE -> row.getDouble(column);
          // Times too: both databases write them alike, and neither converts a text.
          default -> row.getString(column);
        };
    return row.wasNull() ? null : value;
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }

  /** Whether values of a JDBC type are bytes, which a copy has as text in Base64. */
  static boolean isBinary(int type) {
    return type == Types.BINARY
        || type == Types.VARBINARY
        || type == Types.LONGVARBINARY
        || type == Types.BLOB;
  }

  /**
   * Ends the transaction and restores the session, unless the connection is lost: then the pool
   * replaces it.
   *
   * @param setup SQL that every new session runs
   */
  void end(String setup) {
    try (Statement statement = connection.createStatement()) {
      connection.rollback();
      statement.execute(
          dialect == Dialect.H2 ? "SET LAZY_QUERY_EXECUTION 0" : SessionLimits.restore());
      statement.execute(setup);
    } catch (SQLException failure) {
      LOGGER.debug("the session of a copy could not be reset", failure);
    }
  }
}
