package io.millrace.queuenode.store;

/**
 * When an event is given up.
 *
 * @param maxAttempts failures charged to the event
 * @param maxReturns deliveries lost without its fault
 */
public record DeliveryLimits(int maxAttempts, int maxReturns) {}
