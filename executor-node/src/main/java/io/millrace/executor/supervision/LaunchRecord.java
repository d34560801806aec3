package io.millrace.executor.supervision;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What re-attachment needs to know of a launch. */
record LaunchRecord(
    Instant startedAt,
    Duration timeout,
    Duration grace,
    long memoryLimit,
    Optional<Exclusion> exclusion) {

  static LaunchRecord of(Launch launch, Instant startedAt) {
    return new LaunchRecord(
        startedAt, launch.timeout(), launch.grace(), launch.memoryLimit(), launch.exclusion());
  }
}
