package io.millrace.executor.supervision;

import io.millrace.api.Durations;
import io.millrace.api.Sizes;
import java.time.Duration;

/**
 * Why Millrace itself is ending an attempt; decided once per attempt and kept on disk, so that an
 * agent that starts anew in between still tells the right reason.
 */
record Intent(Ending.Kind kind, String reason) {
  private static final long TENTH = 100;
  private static final long MEBIBYTE = 1 << 20;

  static Intent timedOut(Duration ran, Duration limit) {
    Duration seen = Duration.ofMillis(ran.toMillis() / TENTH * TENTH);
    Duration told = seen.compareTo(limit) < 0 ? limit : seen;
    return new Intent(
        Ending.Kind.TIMED_OUT,
        "killed: ran " + Durations.format(told) + ", limit " + Durations.format(limit));
  }

  static Intent memoryExceeded(long limit, long used) {
    long told = used > MEBIBYTE ? (used + MEBIBYTE - 1) / MEBIBYTE * MEBIBYTE : used;
    return new Intent(
        Ending.Kind.MEMORY_EXCEEDED,
        "killed: memory " + Sizes.format(limit) + ", used " + Sizes.format(told));
  }
}
