package io.millrace.queuenode.segment;

import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.time.Duration;
import java.util.List;

/**
 * The events leased by one request, as they lie in the store.
 *
 * @param queue their queue
 * @param events perhaps none
 * @param lease how long they are the caller's
 */
public record StoredLease(String queue, List<LeasedEvent> events, Duration lease) {}
