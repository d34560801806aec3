package io.millrace.manager.job;

import io.millrace.api.job.Usage;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * What one run tells of its definition.
 *
 * @param memoryBytes the most memory; 0 for unknown
 * @param cpuMillis processors kept busy, in thousandths; empty for unknown
 * @param success its success; null if it wasn't one
 */
record Sample(long memoryBytes, OptionalDouble cpuMillis, Profile.Success success) {
  // A shorter run is over before its share of the processors matters, and measures it badly.
  private static final Duration TELLING = Duration.ofSeconds(1);

  static Sample of(EndedAttempt end) {
    Usage usage = end.usage();
    long run = end.end().run().toMillis();
    return new Sample(
        usage == null ? 0 : usage.memoryBytes(),
        usage == null || run < TELLING.toMillis()
            ? OptionalDouble.empty()
            : OptionalDouble.of(1000.0 * usage.cpuMillis() / run),
        end.end().outcome().success()
            ? new Profile.Success(end.job().nodeId(), end.endedAt())
            : null);
  }

  /** Whether it tells anything. */
  boolean telling() {
    return memoryBytes > 0 || cpuMillis.isPresent() || success != null;
  }
}
