package io.millrace.manager.job;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.millrace.api.Json;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Maps rows of the table {@code job}. */
public final class JobColumns {
  private static final String NO_TAGS = "[]";

  private JobColumns() {}

  static JobView view(ResultSet row, ArrayProgress progress, ProgramProgress reported)
      throws SQLException {
    JobState state = JobState.valueOf(row.getString("state"));
    // The row keeps the result of the last ended attempt, which is the job's only once it has
    // ended.
    boolean ended = state.ended();
    return new JobView(
        row.getLong("id"),
        row.getString("name"),
        JobKind.valueOf(row.getString("kind")),
        state,
        row.getString("queue"),
        row.getString("segment_node"),
        row.getString("owner"),
        row.getInt("priority"),
        row.getString("pool"),
        row.getInt("attempt_number"),
        row.getString("node_name"),
        ended ? outcome(row) : null,
        ended ? integer(row, "exit_code") : null,
        ended ? integer(row, "signal_number") : null,
        row.getString("reason"),
        instant(row, "submitted_at"),
        instant(row, "not_before"),
        instant(row, "started_at"),
        instant(row, "ended_at"),
        row.getString("share"),
        row.getString("lane"),
        tags(row.getString("tags")),
        instant(row, "deadline"),
        number(row, "array_id"),
        number(row, "array_index"),
        progress,
        reported);
  }

  static JobFacts facts(ResultSet row) throws SQLException {
    return new JobFacts(
        row.getLong("id"),
        JobKind.valueOf(row.getString("kind")),
        JobState.valueOf(row.getString("state")),
        row.getInt("priority"),
        row.getString("pool"),
        row.getInt("slots"),
        row.getInt("cpu_millis"),
        row.getLong("memory_bytes"),
        row.getLong("shape_id"),
        row.getString("share"),
        row.getString("definition"),
        row.getString("queue"),
        row.getString("segment_node"),
        row.getString("near_node"),
        row.getString("single_name"),
        row.getBoolean("restarts"),
        RetryColumns.read(row),
        row.getBoolean("held"),
        row.getInt("unmet"),
        row.getString("lane"),
        instant(row, "deadline"),
        instant(row, "not_before"),
        row.getBoolean("is_array"),
        number(row, "array_id"),
        number(row, "array_index"),
        row.getBoolean("notifies"),
        row.getInt("attempt_number"),
        row.getString("node_id"),
        row.getString("node_name"),
        row.getInt("failed_tries"),
        row.getInt("lost_tries"),
        row.getInt("short_runs"),
        row.getString("cancel_reason"),
        row.getString("next_cause"),
        instant(row, "submitted_at"),
        instant(row, "placed_at"),
        instant(row, "started_at"));
  }

  static Outcome outcome(ResultSet row) throws SQLException {
    String name = row.getString("outcome");
    return name == null ? null : Outcome.valueOf(name);
  }

  public static Integer integer(ResultSet row, String column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  public static Long number(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  // Most jobs have none, and lists of jobs are long.
  private static List<String> tags(String json) {
    return NO_TAGS.equals(json) ? List.of() : List.of(Json.read(json, String[].class));
  }

  public static Instant instant(ResultSet row, String column) throws SQLException {
    LocalDateTime value = row.getObject(column, LocalDateTime.class);
    return value == null ? null : value.toInstant(ZoneOffset.UTC);
  }

  /** Splits long lists of ids into pieces for one statement each. */
  static final class Chunks {
    private Chunks() {}

    static <T> List<List<T>> of(Collection<T> all, int max) {
      List<T> list = List.copyOf(all);
      List<List<T>> chunks = new ArrayList<>();
      for (int from = 0; from < list.size(); from += max) {
        chunks.add(list.subList(from, Math.min(from + max, list.size())));
      }
      return chunks;
    }
  }

  /** Shortens texts to what their column holds, so that a long message never fails a change. */
  public static final class ColumnText {
    private static final int MAX_OF_START = 1000;
    private static final int MAX_OF_END = 4000;

    private ColumnText() {}

    /** The start of a text, which is the most telling part of a reason. */
    public static String start(String text) {
      return text == null || text.length() <= MAX_OF_START
          ? text
          : text.substring(0, MAX_OF_START - 1) + "…";
    }

    /** The end of a text, which is the most telling part of an output. */
    static String end(String text) {
      return text == null || text.length() <= MAX_OF_END
          ? text
          : text.substring(text.length() - MAX_OF_END);
    }
  }

  /** A job's retry policy as columns; what most policies leave open is empty there. */
  static final class RetryColumns {
    private static final Set<FailureKind> ALL = Set.of(FailureKind.values());
    // Some databases read empty texts as null, so a policy that covers no kind has a text.
    private static final String NO_KIND = "none";

    private RetryColumns() {}

    static void bind(PreparedBatch batch, RetryPolicy retry) {
      batch
          .bind("retryMax", retry.max())
          .bind("retryFirst", retry.backoff().toMillis())
          .bind("retryLongest", retry.maxBackoff().toMillis())
          .bind("retryOn", kinds(retry.on()))
          .bind("retryExitCodes", codes(retry.exitCodes()))
          .bind("retryFinalExitCodes", codes(retry.finalExitCodes()));
    }

    static RetryPolicy read(ResultSet row) throws SQLException {
      return new RetryPolicy(
          row.getInt("retry_max"),
          Duration.ofMillis(row.getLong("retry_first_millis")),
          Duration.ofMillis(row.getLong("retry_longest_millis")),
          kinds(row.getString("retry_on")),
          codes(row.getString("retry_exit_codes")),
          codes(row.getString("retry_final_exit_codes")));
    }

    private static String kinds(Set<FailureKind> kinds) {
      if (kinds.equals(ALL)) {
        return null;
      }
      return kinds.isEmpty() ? NO_KIND : text(kinds);
    }

    private static Set<FailureKind> kinds(String text) {
      if (text == null) {
        return ALL;
      }
      return text.equals(NO_KIND) ? Set.of() : set(text, FailureKind::parse);
    }

    private static String codes(Set<Integer> codes) {
      return codes.isEmpty() ? null : text(codes);
    }

    private static Set<Integer> codes(String text) {
      return text == null ? Set.of() : set(text, Integer::valueOf);
    }

    private static String text(Collection<?> values) {
      return values.stream().sorted().map(Object::toString).collect(joining(","));
    }

    private static <T> Set<T> set(String text, Function<String, T> read) {
      return Arrays.stream(text.split(",")).map(read).collect(toUnmodifiableSet());
    }
  }
}
