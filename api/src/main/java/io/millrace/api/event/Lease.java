package io.millrace.api.event;

import java.time.Duration;
import java.util.List;

/**
 * The events leased by one request, in the order they became ready.
 *
 * @param events perhaps none
 * @param lease how long they are the caller's, from the moment of the answer
 */
public record Lease(List<DeliveredEvent> events, Duration lease) {}
