package io.millrace.api.job;

import io.millrace.api.queue.WorkerInput;
import java.time.Duration;

/**
 * The events that a worker takes.
 *
 * @param queue the queue
 * @param node name of the queue node that holds the segment
 * @param input how the worker gets them
 * @param batch events at the most
 * @param lease how long a delivery is the worker's before it must be extended
 * @param definitionVersion the version of the queue's definition that the worker belongs to
 */
public record BatchInput(
    String queue,
    String node,
    WorkerInput input,
    int batch,
    Duration lease,
    int definitionVersion) {}
