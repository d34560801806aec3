package io.millrace.queuenode.store;

/**
 * Asks what is stored under a batch's name. It holds none of the batch's events, so that one that
 * waits for a slow store takes no more memory than its name.
 *
 * @param queue the queue's name
 * @param batch the batch's name
 * @param events how many events the batch has now; another number than before is a conflict
 */
public record BatchLookup(String queue, String batch, int events) {}
