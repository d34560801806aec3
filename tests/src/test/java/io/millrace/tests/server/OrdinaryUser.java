package io.millrace.tests.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * A user of a database server without privileges beyond its own schema: {@code read_only} applies
 * to it, but not to administrators.
 */
final class OrdinaryUser {
  static final String NAME = "millrace";
  static final String PASSWORD = "";

  private OrdinaryUser() {}

  /**
   * Creates it unless it exists, and grants it all privileges on a schema.
   *
   * @param root a connection of an administrator; enables privilege checks on a server that was
   *     started without them
   */
  static void ensure(Connection root, String schema) throws SQLException {
    try (Statement statement = root.createStatement()) {
      statement.execute("flush privileges");
      for (String host : List.of("localhost", "127.0.0.1")) {
        String user = "'%s'@'" + host + "' identified by ''";
        statement.execute("create or replace user " + user.formatted("root"));
        statement.execute("grant all on *.* to 'root'@'" + host + "' with grant option");
        statement.execute("create user if not exists " + user.formatted(NAME));
        statement.execute("grant all on " + schema + ".* to '" + NAME + "'@'" + host + "'");
      }
    }
  }
}
