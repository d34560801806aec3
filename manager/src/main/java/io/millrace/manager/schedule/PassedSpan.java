package io.millrace.manager.schedule;

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
public record PassedSpan(Instant first, Instant last, long count, String reason) {

  /** Times in a row, oldest first; at least one. */
  static PassedSpan of(List<Instant> times, String reason) {
    Instant first = times.get(0);
    return new PassedSpan(
        first,
        times.get(times.size() - 1),
        times.size(),
        times.size() + " planned times from " + first + " on: " + reason);
  }
}
