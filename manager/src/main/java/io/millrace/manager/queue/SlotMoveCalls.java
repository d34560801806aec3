package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.manager.queue.SegmentCalls.Answers;
import io.millrace.platform.identity.Principal;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks queue nodes to give slots of queues of sessions to other nodes: at most one request of a queue
 * at a time, and the next one not before the row can have changed. Thread-safe; never blocks.
 */
public final class SlotMoveCalls {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotMoveCalls.class);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final QueueNodes nodes;
  private final SegmentCalls calls;
  private final Principal caller;
  private final BackgroundCalls background;

  /**
   * Without requests yet.
   *
   * @param caller this central manager
   */
  public SlotMoveCalls(
      QueueNodes nodes, SegmentCalls calls, Principal caller, BackgroundCalls background) {
    this.nodes = nodes;
    this.calls = calls;
    this.caller = caller;
    this.background = background;
  }

  /** Asks a node, unless the queue is asked for already; a request that fails is only logged. */
  public void ask(String queue, String holder, SlotMoveRequest request) {
    background.make("slot moves of " + queue, () -> askNow(queue, holder, request));
  }

  private void askNow(String queue, String holder, SlotMoveRequest request) {
    URI uri = URI.create(path("/v1/queues/%s/slot-moves", queue));
    Answers<Boolean> answers =
        calls.ask(
            Map.of(nodes.require(holder), HttpCall.post(uri, request)),
            LIMIT,
            caller,
            answer -> true);
    if (answers.values().containsKey(holder)) {
      LOGGER.info(
          "{} was asked to give {} slots of {} to {}",
          holder,
          request.points(),
          queue,
          request.to());
    }
  }
}
