package io.millrace.tests.statement;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A row in each table, so that statements that depend on a found row are executed too. */
final class Seeds {
  /** Columns with restricted values, by {@code TABLE.COLUMN} or {@code COLUMN}. */
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("job.kind", "WORKER"),
          Map.entry("job_ready.kind", "WORKER"),
          Map.entry("booking.kind", "WORKER"),
          Map.entry("job.state", "SUCCEEDED"),
          Map.entry("job.reason", "x"),
          Map.entry("attempt.state", "SUCCEEDED"),
          Map.entry("job_event.state", "SUCCEEDED"),
          Map.entry("job_total.kind", "WORKER"),
          Map.entry("job_total.state", "SUCCEEDED"),
          Map.entry("job_total_change.kind", "WORKER"),
          Map.entry("job_total_change.state", "SUCCEEDED"),
          Map.entry("outcome", "SUCCEEDED"),
          Map.entry("spec", "{\"command\":[\"true\"]}"),
          Map.entry("tags", "[]"),
          Map.entry("pools", "[]"),
          Map.entry("node.kind", "EXECUTION"),
          Map.entry("standing", "ACTIVE"),
          Map.entry("duty", "ACTIVE"),
          Map.entry("address", "http://127.0.0.1:1"),
          Map.entry("attributes", "{}"),
          Map.entry("resources", "{}"),
          Map.entry("licences", "{}"),
          Map.entry("points", "{\"x\":1000}"),
          Map.entry("inputs", "{}"),
          Map.entry("figures", "{}"),
          Map.entry("node_sample.kind", "QUEUE"),
          Map.entry("minute_sample.kind", "QUEUE"),
          Map.entry("job_dependency.wanted", "OK"),
          Map.entry("shape_wait.code", "BEHIND_OTHERS"),
          Map.entry("retry_on", "none"),
          Map.entry("retry_exit_codes", "1"),
          Map.entry("retry_final_exit_codes", "1"),
          Map.entry("task_run.state", "FAILED"),
          Map.entry("stop_as", "FAILED"),
          Map.entry("cause", "MANUAL"),
          Map.entry("task_worker.state", "PENDING"),
          Map.entry("role", "WORK"),
          Map.entry("notice.occasion", "FAILED"),
          Map.entry("notice.kind", "WEBHOOK"),
          Map.entry("notice.state", "TOLD"),
          Map.entry("ends_as", "FAILED"),
          Map.entry("balancing_decision.kind", "HEAL"),
          Map.entry("weight_history.kind", "HEAL"),
          Map.entry("workflow_breaker.state", "OPEN"),
          Map.entry("recent", "1:1"),
          Map.entry("body", "{}"));

  private static final Set<String> NUMBERS = Set.of("released_step.numbers", "step_end.numbers");

  /** The number 1, in the form of numbers of steps. */
  private static final String ONE_NUMBER = "x'0201'";

  private Seeds() {}

  static void write(Connection connection, List<String> tables) throws SQLException {
    for (String table : tables) {
      List<String> values = new ArrayList<>();
      try (ResultSet columns =
          connection.getMetaData().getColumns(connection.getCatalog(), null, table, null)) {
        while (columns.next()) {
          values.add(value(table, columns));
        }
      }
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate(
            "insert into " + table + " values (" + String.join(", ", values) + ")");
      }
    }
  }

  /** The job runs its second attempt, so that statements for running attempts are executed too. */
  static void revive(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("update job set state = 'RUNNING', attempt_number = 2");
    }
  }

  /** Deletes all rows, so that rows that may exist only once can be inserted. */
  static void delete(Connection connection, List<String> tables) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : tables) {
        statement.executeUpdate("delete from " + table);
      }
    }
  }

  private static String value(String table, ResultSet column) throws SQLException {
    String name = column.getString("COLUMN_NAME");
    int size = column.getInt("COLUMN_SIZE");
    return switch (column.getString("TYPE_NAME")) {
      case "VARCHAR", "LONGTEXT", "MEDIUMTEXT" ->
          "'" + TEXTS.getOrDefault(table + "." + name, TEXTS.getOrDefault(name, text(size))) + "'";
      case "DATETIME" -> "'2020-01-01 00:00:00'";
      case "VARBINARY" -> NUMBERS.contains(table + "." + name) ? ONE_NUMBER : "1";
      default -> "1";
    };
  }

  // Ids need their full length.
  private static String text(int size) {
    return size == 36 ? Arguments.ID.toString() : Arguments.TEXT;
  }
}
