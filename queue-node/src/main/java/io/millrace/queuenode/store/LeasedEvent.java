package io.millrace.queuenode.store;

/**
 * One event in the hands of a worker.
 *
 * @param receipt what acknowledges this delivery
 * @param attempt one more than the failures charged to the event
 * @param event as it was put
 */
public record LeasedEvent(Receipt receipt, int attempt, NewEvent event) {}
