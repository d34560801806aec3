package io.millrace.executor.batch;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * What must be known of a leased batch to keep and to close it; kept on disk while its worker runs,
 * so that an agent that was restarted goes on.
 *
 * @param queue the queue
 * @param node name of the queue node that holds the segment
 * @param queueNode where that node answered when the batch was leased
 * @param token good for this queue and attempt only
 * @param receipts of all events of the batch
 * @param lease how long one extension lasts
 * @param alone id of the event when it is the only one; null for several
 */
public record BatchRecord(
    String queue,
    String node,
    URI queueNode,
    String token,
    List<String> receipts,
    Duration lease,
    String alone) {
  public BatchRecord {
    receipts = List.copyOf(receipts);
  }

  @Override
  public String toString() {
    return receipts.size() + " events of queue " + queue + " at " + node;
  }
}
