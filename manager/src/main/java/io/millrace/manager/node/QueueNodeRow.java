package io.millrace.manager.node;

import io.millrace.api.queue.QueueNodeStatus;
import java.time.Instant;

/**
 * A queue node's row with what operators want of it.
 *
 * @param node the row that every node has
 * @param duty what operators want
 * @param dutyUntil when that ends by itself; null for never
 * @param dutyReason why; null if not said
 * @param lostAt since when it is lost; null when it is not
 */
public record QueueNodeRow(
    NodeRow node, QueueNodeStatus duty, Instant dutyUntil, String dutyReason, Instant lostAt) {}
