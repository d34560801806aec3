package io.millrace.manager.job;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.millrace.api.job.FailureKind;
import io.millrace.api.job.RetryPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.statement.PreparedBatch;

/** A job's retry policy as columns; what most policies leave open is empty there. */
final class RetryColumns {
  private static final Set<FailureKind> ALL = Set.of(FailureKind.values());
  // Texts of nothing at all are read as null by some databases; a policy that covers no kind is
  // none.
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
