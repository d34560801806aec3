package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.manager.queue.SegmentCalls.Answers;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks queue nodes to give slots of queues of sessions to other nodes, in threads of its own: at most
 * one request of a queue at a time, and the next one not before the row can have changed.
 * Thread-safe; never blocks.
 */
public final class SlotMoveCalls implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotMoveCalls.class);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long PAUSE = Duration.ofSeconds(10).toNanos();
  private static final int THREADS = 2;

  private final QueueNodes nodes;
  private final SegmentCalls calls;
  private final Principal caller;
  private final Clock clock;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Threads.daemons("slot-moves"));
  // Queues that are asked for now, or were just now: monotonic nanoseconds of the end of the last
  // request, null while it runs. Guarded by itself.
  private final Map<String, Long> asked = new HashMap<>();

  /**
   * Without requests yet.
   *
   * @param caller this central manager
   */
  public SlotMoveCalls(QueueNodes nodes, SegmentCalls calls, Principal caller, Clock clock) {
    this.nodes = nodes;
    this.calls = calls;
    this.caller = caller;
    this.clock = clock;
  }

  @Override
  public void start() {}

  /** Lets requests in progress end, and makes no more. */
  @Override
  public void stop() {
    threads.shutdown();
  }

  /** Asks a node, unless the queue is asked for already; a request that fails is only logged. */
  public void ask(String queue, String holder, SlotMoveRequest request) {
    if (!begin(queue)) {
      return;
    }
    try {
      threads.execute(() -> askNow(queue, holder, request));
    } catch (RejectedExecutionException stopping) {
      end(queue);
    }
  }

  private boolean begin(String queue) {
    synchronized (asked) {
      long now = clock.nanoTime();
      asked.values().removeIf(end -> end != null && now - end >= PAUSE);
      if (asked.containsKey(queue)) {
        return false;
      }
      asked.put(queue, null);
      return true;
    }
  }

  private void end(String queue) {
    synchronized (asked) {
      asked.put(queue, clock.nanoTime());
    }
  }

  private void askNow(String queue, String holder, SlotMoveRequest request) {
    try {
      QueueNodeView node = nodes.require(holder);
      URI uri = URI.create(path("/v1/queues/%s/slot-moves", queue));
      Answers<Boolean> answers =
          calls.ask(Map.of(node, HttpCall.post(uri, request)), LIMIT, caller, answer -> true);
      if (answers.values().containsKey(holder)) {
        LOGGER.info(
            "{} was asked to give {} slots of {} to {}",
            holder,
            request.points(),
            queue,
            request.to());
      }
    } catch (MillraceException refused) {
      LOGGER.info("{} gives no slots of {} away yet: {}", holder, queue, refused.getMessage());
    } finally {
      end(queue);
    }
  }
}
