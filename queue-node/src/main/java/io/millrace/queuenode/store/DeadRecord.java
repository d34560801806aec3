package io.millrace.queuenode.store;

import java.time.Instant;

/**
 * A dead letter.
 *
 * @param seq its number in the store, by which dead letters are paged and named
 * @param event as it was put
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 * @param reason the last refusal's words; null if unknown
 * @param diedAt when it was given up
 */
public record DeadRecord(
    long seq, NewEvent event, int failures, int returns, String reason, Instant diedAt) {}
