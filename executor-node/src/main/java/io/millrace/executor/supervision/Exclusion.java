package io.millrace.executor.supervision;

import java.time.Duration;
import java.util.Optional;

/**
 * Of an attempt whose processes must never overlap with those of another: a watchdog kills them
 * when its lease was not renewed in time.
 *
 * @param failover how long it may run on without word from a central manager; without it, or if
 *     that is longer, for the node's lease
 */
public record Exclusion(Optional<Duration> failover) {}
