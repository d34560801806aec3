package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.Instant;
import java.util.List;

/**
 * Many missed times that are recorded as one, at the planned time {@code last}.
 *
 * @param first of them
 * @param last of them
 * @param count of them
 * @param reason for people; names first and count
 */
@Pure
public record PassedSpan(Instant first, Instant last, long count, String reason) {

  /** Times in a row, told in words with how many they are; at least one. */
  public static PassedSpan of(Instant first, Instant last, long count, String reason) {
    String words =
        count == 1 ? reason : reason + "; " + count + " planned times from " + first + " on";
    return new PassedSpan(first, last, count, words);
  }

  /** Times in a row, oldest first; at least one. */
  static PassedSpan of(List<Instant> times, String reason) {
    return of(times.get(0), times.get(times.size() - 1), times.size(), reason);
  }
}
