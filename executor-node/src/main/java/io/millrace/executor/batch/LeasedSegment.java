package io.millrace.executor.batch;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import java.net.URI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue node that holds a segment, at its current address: a restarted one may have another.
 * Thread-safe.
 */
final class LeasedSegment {
  private static final Logger LOGGER = LoggerFactory.getLogger(LeasedSegment.class);

  private final BatchCalls calls;
  private final String node;
  private final String token;
  private volatile QueueClient client;

  /**
   * @param node its name
   * @param address the last one known
   * @param token of the worker
   */
  LeasedSegment(BatchCalls calls, String node, URI address, String token) {
    this.calls = calls;
    this.node = node;
    this.token = token;
    this.client = calls.client(address, token);
  }

  QueueClient client() {
    return client;
  }

  /** Looks for a new address after a call that nobody answered; blocks. */
  void seek(RuntimeException failure) {
    if (!(failure instanceof MillraceException refusal)
        || refusal.code() != ErrorCode.UNREACHABLE) {
      return;
    }
    try {
      calls.addresses().apply(node).ifPresent(address -> client = calls.client(address, token));
    } catch (MillraceException e) {
      LOGGER.debug("the current address of {} is unknown", node, e);
    }
  }
}
