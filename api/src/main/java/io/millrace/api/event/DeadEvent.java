package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;

/**
 * An event that was given up, with the reason.
 *
 * @param handle names this dead letter, and no other, on any node: {@code node/number}
 * @param id the event's id
 * @param queue its queue
 * @param node the queue node that holds it
 * @param failures failures charged to it
 * @param returns deliveries lost without its fault
 * @param reason the last refusal's words
 * @param diedAt when it was given up
 * @param attributes as sent; null for none
 * @param data as sent
 */
public record DeadEvent(
    String handle,
    String id,
    String queue,
    String node,
    int failures,
    int returns,
    String reason,
    Instant diedAt,
    Map<String, String> attributes,
    JsonNode data) {}
