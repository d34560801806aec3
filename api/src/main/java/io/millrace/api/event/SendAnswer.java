package io.millrace.api.event;

/**
 * The result of sending a batch, which is stored completely or not at all.
 *
 * @param queue the queue
 * @param batch the batch's name; events without a producer's id get the ids {@code batch-0}, {@code
 *     batch-1} …
 * @param accepted events in the batch
 * @param repeated whether the batch was stored by an earlier request of the same name
 * @param node the queue node that holds it
 */
public record SendAnswer(String queue, String batch, int accepted, boolean repeated, String node) {}
