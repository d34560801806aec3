package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.util.Optional;

/**
 * What was recorded about the end of an attempt.
 *
 * @param code as the shell tells it; meaningless when the start failed
 * @param startFailure why no process could be made at all
 * @param at when it was recorded
 * @param usage the processor time that the shell has recorded; empty when it has not
 */
record ExitRecord(int code, Optional<String> startFailure, Instant at, Optional<Usage> usage) {}
