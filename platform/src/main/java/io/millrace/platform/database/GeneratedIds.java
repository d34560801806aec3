package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The counters from which tables get their generated ids. One thread; blocks on the database. */
final class GeneratedIds {
  /** Not from the catalogue of tables, in which servers show figures of up to a day ago. */
  private static final Pattern SHOWN = Pattern.compile("\\).*\\bAUTO_INCREMENT=([0-9]+)");

  private final Connection connection;
  private final Dialect dialect;

  GeneratedIds(Connection connection, Dialect dialect) {
    this.connection = connection;
    this.dialect = dialect;
  }

  /** The next id of those of the tables that exist and have generated ones. */
  Map<String, Long> next(List<String> tables) throws SQLException {
    Map<String, Long> next = new LinkedHashMap<>();
    for (String table : tables) {
      OptionalLong id = dialect == Dialect.H2 ? nextOfFile(table) : nextOfServer(table);
      id.ifPresent(number -> next.put(table, number));
    }
    return next;
  }

  /** Makes the next id at least that number; a counter that is ahead stays as it is. */
  void continueAt(String table, long next) throws SQLException {
    Long now = next(List.of(table)).get(table);
    if (now == null) {
      throw new SQLException("table " + table + " has no generated id");
    }
    if (now >= next) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          dialect == Dialect.H2
              ? "alter table %s alter column %s restart with %d"
                  .formatted(table, column(table), next)
              : "alter table %s auto_increment = %d".formatted(table, next));
    }
  }

  private OptionalLong nextOfFile(String table) throws SQLException {
    Optional<String> base = ofIdColumn("identity_base", table, "is_identity = 'YES'");
    return base.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(base.get()));
  }

  private String column(String table) throws SQLException {
    return ofIdColumn("column_name", table, "is_identity = 'YES'").orElseThrow();
  }

  private OptionalLong nextOfServer(String table) throws SQLException {
    if (ofIdColumn("column_name", table, "extra like '%auto_increment%'").isEmpty()) {
      return OptionalLong.empty();
    }
    try (Statement statement = connection.createStatement();
        ResultSet shown = statement.executeQuery("show create table " + table)) {
      shown.next();
      Matcher counter = SHOWN.matcher(shown.getString(2));
      // Not shown before the first row.
      return OptionalLong.of(counter.find() ? Long.parseLong(counter.group(1)) : 1);
    }
  }

  /** What the catalogue says of the column with generated ids; empty if the table has none. */
  private Optional<String> ofIdColumn(String what, String table, String generated)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select %s from information_schema.columns where table_schema = schema() and lower(table_name) = ? and %s"
                .formatted(what, generated))) {
      statement.setString(1, table);
      try (ResultSet found = statement.executeQuery()) {
        return found.next() ? Optional.of(found.getString(1)) : Optional.empty();
      }
    }
  }
}
