package io.millrace.tests.drill.tasks;

import io.millrace.tests.drill.cluster.SharedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads the database of the drill directly, independent of the central managers. Thread-safe. */
final class PlannedCount {
  private final String url;
  private final String user;
  private final String password;

  PlannedCount(SharedDatabase database) {
    this.url = "jdbc:mysql://127.0.0.1:" + database.address().getPort() + "/" + database.name();
    this.user = database.user();
    this.password = database.password();
  }

  /** The number of planned times launched or skipped so far; missed ones are not counted. */
  long now() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select count(*) from task_run where state <> 'MISSED'")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /**
   * Moves every schedule back, as if the clock had been stepped forward by that many hours. Only
   * before the first launch.
   */
  void stepBack(int hours) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "update task_schedule set next_at = next_at - interval "
              + hours
              + " hour, due_at = due_at - interval "
              + hours
              + " hour");
    }
  }
}
