package io.millrace.queuenode.node;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.lifecycle.Loop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends single events at a steady rate, whoever is slow, spread over the nodes by their points as a
 * load balancer does.
 */
final class SteadyProducer implements AutoCloseable {
  private final Loop pulse;
  private final ExecutorService senders = Executors.newFixedThreadPool(24);
  private final Map<String, Integer> credit = new HashMap<>();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private long events;

  SteadyProducer(
      String queue,
      int perSecond,
      Supplier<Map<String, Integer>> points,
      Function<String, QueueClient> nodes) {
    pulse =
        new Loop(
            "producer",
            Duration.ofNanos(1_000_000_000L / perSecond),
            () -> {
              String node = next(points.get());
              long number = events++;
              senders.execute(() -> send(nodes.apply(node), queue, number));
            });
    pulse.start();
  }

  /** Events that a node has acknowledged. */
  long accepted() {
    return accepted.get();
  }

  private String next(Map<String, Integer> points) {
    credit.keySet().retainAll(points.keySet());
    points.forEach((node, share) -> credit.merge(node, share, Integer::sum));
    String best =
        credit.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    credit.merge(best, -1000, Integer::sum);
    return best;
  }

  private void send(QueueClient node, String queue, long number) {
    try {
      byte[] event = Long.toString(number).getBytes(StandardCharsets.UTF_8);
      node.send(queue, "batch-" + number, EventMedia.JSON, event);
      accepted.incrementAndGet();
    } catch (MillraceException e) {
      // A node that has just lost its weight refuses; a load balancer would go elsewhere.
      refused.incrementAndGet();
    }
  }

  @Override
  public void close() {
    pulse.stop();
    senders.shutdownNow();
  }
}
