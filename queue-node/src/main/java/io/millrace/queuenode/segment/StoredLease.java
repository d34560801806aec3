package io.millrace.queuenode.segment;

import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.time.Duration;
import java.util.List;

/**
 * The stored events leased by one request.
 *
 * @param queue their queue
 * @param events may be empty
 * @param lease how long they are leased
 */
public record StoredLease(String queue, List<LeasedEvent> events, Duration lease) {}
