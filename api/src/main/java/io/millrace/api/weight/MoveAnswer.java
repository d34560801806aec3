package io.millrace.api.weight;

import io.millrace.api.queue.QueueWeights;
import java.util.List;

/**
 * The weight rows after the moves.
 *
 * @param rows of the queues that the moves named
 * @param repeated whether an earlier request of the same id had carried them out
 */
public record MoveAnswer(List<QueueWeights> rows, boolean repeated) {}
