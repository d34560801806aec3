package io.millrace.queuenode.store;

import io.millrace.api.event.RefusalKind;
import java.time.Duration;
import java.util.List;

/**
 * Gives leased events back.
 *
 * @param queue the queue's name
 * @param receipts the deliveries given up
 * @param kind whose fault it was
 * @param delay not delivered again before
 * @param reason for the dead letter; null if unknown
 * @param limits when the events are given up
 */
public record RefuseOrder(
    String queue,
    List<Receipt> receipts,
    RefusalKind kind,
    Duration delay,
    String reason,
    DeliveryLimits limits) {}
