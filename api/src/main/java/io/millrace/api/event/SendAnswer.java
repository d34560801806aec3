package io.millrace.api.event;

/**
 * What became of a batch that was sent: all of it is stored, or none.
 *
 * @param queue the queue
 * @param batch the batch's name; event ids without a producer's id are {@code batch-0}, {@code
 *     batch-1} …
 * @param accepted events in the batch
 * @param repeated whether the batch was stored by an earlier request of the same name
 * @param node the queue node that holds it
 */
public record SendAnswer(String queue, String batch, int accepted, boolean repeated, String node) {}
