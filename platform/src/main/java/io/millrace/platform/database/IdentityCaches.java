package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Makes H2 reserve numbers for identity columns in large blocks. For each block it stores all
 * changed pages, as a commit does; with the default of 32 numbers that is most of the cost of
 * inserting in batches. The rest of a block is never used if the process is killed.
 */
final class IdentityCaches {
  private static final int NUMBERS = 5000;

  private IdentityCaches() {}

  /** Enlarges small caches; stored in the database. */
  static void enlarge(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String change : changes(statement)) {
        statement.execute(change);
      }
    }
  }

  private static List<String> changes(Statement statement) throws SQLException {
    List<String> changes = new ArrayList<>();
    try (ResultSet column =
        statement.executeQuery(
            "select table_name, column_name from information_schema.columns where table_schema ="
                + " schema() and is_identity = 'YES' and identity_cache < "
                + NUMBERS)) {
      while (column.next()) {
        changes.add(
            "alter table \""
                + column.getString(1)
                + "\" alter column \""
                + column.getString(2)
                + "\" set cache "
                + NUMBERS);
      }
    }
    return changes;
  }
}
