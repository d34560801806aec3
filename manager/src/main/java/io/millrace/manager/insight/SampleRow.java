package io.millrace.manager.insight;

import io.millrace.api.insight.QueueSample;

/**
 * One point of a queue's history with the counters that the next one's rates are measured from.
 *
 * @param queue the queue
 * @param sample as shown
 * @param inserted events stored since ever
 * @param acknowledged events done since ever
 * @param workerRuns worker runs started since ever
 */
public record SampleRow(
    String queue, QueueSample sample, long inserted, long acknowledged, long workerRuns) {}
