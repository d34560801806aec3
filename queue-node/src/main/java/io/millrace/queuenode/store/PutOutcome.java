package io.millrace.queuenode.store;

/**
 * What became of a batch.
 *
 * @param accepted events in it
 * @param repeated whether it was stored by an earlier order of the same name
 */
public record PutOutcome(int accepted, boolean repeated) {}
