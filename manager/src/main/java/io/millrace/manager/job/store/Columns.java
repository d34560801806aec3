package io.millrace.manager.job.store;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** Reads rows of the table {@code job}. */
final class Columns {
  /** Everything that {@link #view} reads. */
  static final String VIEW =
      "j.id, j.name, j.kind, j.state, j.queue, j.segment_node, j.owner, j.priority, j.pool,"
          + " j.attempt_number, j.node_name, j.outcome, j.exit_code, j.signal_number, j.reason,"
          + " j.submitted_at, j.not_before, j.started_at, j.ended_at";

  private Columns() {}

  static JobView view(ResultSet row) throws SQLException {
    return new JobView(
        row.getLong("id"),
        row.getString("name"),
        JobKind.valueOf(row.getString("kind")),
        JobState.valueOf(row.getString("state")),
        row.getString("queue"),
        row.getString("segment_node"),
        row.getString("owner"),
        row.getInt("priority"),
        row.getString("pool"),
        row.getInt("attempt_number"),
        row.getString("node_name"),
        outcome(row),
        integer(row, "exit_code"),
        integer(row, "signal_number"),
        row.getString("reason"),
        instant(row, "submitted_at"),
        instant(row, "not_before"),
        instant(row, "started_at"),
        instant(row, "ended_at"),
        null,
        null,
        List.of(),
        null,
        null,
        null,
        null);
  }

  static JobFacts facts(ResultSet row) throws SQLException {
    return new JobFacts(
        row.getLong("id"),
        JobKind.valueOf(row.getString("kind")),
        JobState.valueOf(row.getString("state")),
        row.getInt("priority"),
        row.getString("pool"),
        row.getInt("slots"),
        row.getString("queue"),
        row.getString("segment_node"),
        row.getString("near_node"),
        row.getString("single_name"),
        row.getBoolean("restarts"),
        RetryPolicy.upTo(
            row.getInt("retry_max"),
            Duration.ofMillis(row.getLong("retry_first_millis")),
            Duration.ofMillis(row.getLong("retry_longest_millis"))),
        row.getInt("attempt_number"),
        row.getString("node_id"),
        row.getString("node_name"),
        row.getInt("failed_tries"),
        row.getInt("lost_tries"),
        row.getInt("short_runs"),
        row.getString("cancel_reason"),
        instant(row, "submitted_at"),
        instant(row, "started_at"));
  }

  static Outcome outcome(ResultSet row) throws SQLException {
    String name = row.getString("outcome");
    return name == null ? null : Outcome.valueOf(name);
  }

  static Integer integer(ResultSet row, String column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    LocalDateTime value = row.getObject(column, LocalDateTime.class);
    return value == null ? null : value.toInstant(ZoneOffset.UTC);
  }
}
