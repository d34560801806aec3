package io.millrace.queuenode.store;

/**
 * An unfinished event as the store has it.
 *
 * @param seq its number in the store
 * @param event as it was put
 * @param state where it is in its life
 * @param storedAt wall time in milliseconds
 * @param heldMillis until its lease or delay ends; 0 when it is ready
 * @param deliveries how often it was delivered
 * @param failures failures charged to it
 */
public record PeekedRecord(
    long seq,
    NewEvent event,
    EventState state,
    long storedAt,
    long heldMillis,
    int deliveries,
    int failures) {}
