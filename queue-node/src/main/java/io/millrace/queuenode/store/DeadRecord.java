package io.millrace.queuenode.store;

import java.time.Instant;

/**
 * A dead letter.
 *
 * @param event as it was put
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 * @param reason the last refusal's words; null if unknown
 * @param diedAt when it was given up
 */
public record DeadRecord(
    NewEvent event, int failures, int returns, String reason, Instant diedAt) {}
