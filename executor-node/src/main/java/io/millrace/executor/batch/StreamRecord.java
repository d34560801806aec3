package io.millrace.executor.batch;

import io.millrace.executor.batch.LeasedBatch.BatchRecord;
import io.millrace.executor.batch.StreamWindow.Given;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is needed to report a worker's results to the queue node; kept on disk while it runs, before
 * it gets an event, so that a restarted agent can continue.
 *
 * @param queue the queue
 * @param node name of the queue node that holds the segment
 * @param queueNode the node's address
 * @param token valid only for this queue and attempt
 * @param lease how long one extension lasts
 * @param offset up to where the worker's output has been read and its results reported
 * @param taken the events that it got so far
 * @param open ids and receipts of events that are not reported yet
 * @param since offsets in the worker's output by the ids of these events: what it wrote before is
 *     no answer to them, but to earlier events or deliveries of the same id
 */
public record StreamRecord(
    String queue,
    String node,
    URI queueNode,
    String token,
    Duration lease,
    long offset,
    int taken,
    Map<String, String> open,
    Map<String, Long> since) {

  public StreamRecord {
    since = since == null ? Map.of() : since;
  }

  /** Of a worker that gets its first events. */
  public static StreamRecord of(BatchRecord first) {
    return new StreamRecord(
        first.queue(),
        first.node(),
        first.queueNode(),
        first.token(),
        first.lease(),
        0,
        0,
        Map.of(),
        Map.of());
  }

  StreamRecord now(long read, int events, Map<String, Given> unreported) {
    Map<String, String> receipts = new LinkedHashMap<>();
    Map<String, Long> offsets = new LinkedHashMap<>();
    unreported.forEach(
        (id, given) -> {
          receipts.put(id, given.receipt());
          offsets.put(id, given.since());
        });
    return new StreamRecord(queue, node, queueNode, token, lease, read, events, receipts, offsets);
  }

  @Override
  public String toString() {
    return "a stream of queue " + queue + " at " + node;
  }
}
