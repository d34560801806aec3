package io.millrace.executor.supervision;

import java.time.Duration;
import java.time.Instant;

/** What re-attachment needs to know of a launch. */
record LaunchRecord(Instant startedAt, Duration timeout, Duration grace) {}
