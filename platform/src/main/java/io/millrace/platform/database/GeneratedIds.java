package io.millrace.platform.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select identity_base from information_schema.columns where table_schema = schema()"
                + " and lower(table_name) = ? and is_identity = 'YES'")) {
      statement.setString(1, table);
      return number(statement);
    }
  }

  private String column(String table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select column_name from information_schema.columns where table_schema = schema()"
                + " and lower(table_name) = ? and is_identity = 'YES'")) {
      statement.setString(1, table);
      try (ResultSet column = statement.executeQuery()) {
        column.next();
        return column.getString(1);
      }
    }
  }

  private OptionalLong nextOfServer(String table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select 1 from information_schema.columns where table_schema = schema()"
                + " and lower(table_name) = ? and extra like '%auto_increment%'")) {
      statement.setString(1, table);
      if (number(statement).isEmpty()) {
        return OptionalLong.empty();
      }
    }
    try (Statement statement = connection.createStatement();
        ResultSet shown = statement.executeQuery("show create table " + table)) {
      shown.next();
      Matcher counter = SHOWN.matcher(shown.getString(2));
      // Not shown before the first row.
      return OptionalLong.of(counter.find() ? Long.parseLong(counter.group(1)) : 1);
    }
  }

  private static OptionalLong number(PreparedStatement statement) throws SQLException {
    try (ResultSet found = statement.executeQuery()) {
      return found.next() ? OptionalLong.of(found.getLong(1)) : OptionalLong.empty();
    }
  }
}
