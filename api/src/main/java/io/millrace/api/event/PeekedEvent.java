package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * An unfinished event as shown without leasing it.
 *
 * @param id the event's id
 * @param queue its queue
 * @param node the queue node that holds it
 * @param state {@code ready}, {@code delayed} or {@code leased}
 * @param priority 0 to 9, the higher first
 * @param ageSeconds since it was stored
 * @param heldSeconds until its lease or delay ends; 0 when it is ready
 * @param deliveries how often it was delivered
 * @param failures failures charged to it
 * @param attributes as sent; null for none
 * @param data as sent; null if it is omitted
 * @param omittedBytes size of the data if it is omitted, with the attributes, because the answer
 *     has no room for it; null if it is shown
 */
public record PeekedEvent(
    String id,
    String queue,
    String node,
    String state,
    int priority,
    double ageSeconds,
    double heldSeconds,
    int deliveries,
    int failures,
    Map<String, String> attributes,
    JsonNode data,
    Integer omittedBytes) {}
