package io.millrace.api.job;

import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import java.time.Duration;

/**
 * The events that a worker takes.
 *
 * @param queue the queue
 * @param node name of the queue node that holds the segment
 * @param input how the worker gets them
 * @param batch the most events
 * @param lease how long a delivery is leased before it must be extended
 * @param definitionVersion the version of the queue's definition that the worker belongs to
 * @param linger its run limits when it takes further batches; null when it exits after one
 * @param maxPerNode the most workers of the queue on one execution node; 0 for no limit
 */
public record BatchInput(
    String queue,
    String node,
    WorkerInput input,
    int batch,
    Duration lease,
    int definitionVersion,
    LingerDefinition linger,
    int maxPerNode) {
  /** The input of a worker that takes one batch, on any node. */
  public BatchInput(
      String queue,
      String node,
      WorkerInput input,
      int batch,
      Duration lease,
      int definitionVersion) {
    this(queue, node, input, batch, lease, definitionVersion, null, 0);
  }
}
