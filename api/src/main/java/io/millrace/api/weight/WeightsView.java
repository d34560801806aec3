package io.millrace.api.weight;

import io.millrace.api.queue.QueueWeights;
import java.util.List;

/**
 * A queue's weights, now and lately.
 *
 * @param weights the row in force; null when it has none yet
 * @param history its versions, oldest first
 */
public record WeightsView(QueueWeights weights, List<WeightChange> history) {}
