package io.millrace.queuenode.rescue;

/**
 * What became of one queue's events.
 *
 * @param queue its name
 * @param found unfinished events in the store, with the dead letters that were to be rescued
 * @param sent events that the cluster took
 * @param left events that are still in the store
 * @param dead dead letters that are still in the store
 * @param trouble why events were left; null when none were, or none were to be sent
 */
public record RescuedQueue(
    String queue, long found, long sent, long left, long dead, String trouble) {}
