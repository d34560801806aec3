package io.millrace.tests.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * A user of a database server with no right beyond those on its own schema: for such a one {@code
 * read_only} holds, which administrators are exempt from.
 */
final class OrdinaryUser {
  static final String NAME = "millrace";
  static final String PASSWORD = "";

  private OrdinaryUser() {}

  /**
   * Makes it, unless it is there, and gives it all rights on a schema.
   *
   * @param root a connection of a user who may do all; of a server that was started without
   *     checking rights it makes one that checks them
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
