package io.millrace.tests.drill.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.tests.drill.cluster.DrillCluster;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Asks queue nodes all the time to give slots to one another, so that sessions move while faults
 * happen. Runs its own thread until it is closed.
 */
final class SlotMoves implements AutoCloseable {
  private static final long PAUSE_MILLIS = 600;
  private static final int LARGEST = 120;

  private final DrillCluster cluster;
  private final String path;
  private final RandomGenerator random;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "slot-moves");
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private final Map<ErrorCode, Integer> refusals = new ConcurrentHashMap<>();
  private volatile String last = "none";

  SlotMoves(DrillCluster cluster, String queue, RandomGenerator random) {
    this.cluster = cluster;
    this.path = ApiClient.path("/v1/queues/%s/slot-moves", queue);
    this.random = random;
    thread.start();
  }

  private void run() {
    List<String> nodes = cluster.shape().queueNodeNames();
    try {
      while (!stopped.await(random.nextLong(2 * PAUSE_MILLIS), TimeUnit.MILLISECONDS)) {
        int from = random.nextInt(nodes.size());
        int to = (from + 1 + random.nextInt(nodes.size() - 1)) % nodes.size();
        asked.incrementAndGet();
        try {
          cluster
              .impatient(nodes.get(from))
              .post(path, Map.of("to", nodes.get(to), "points", 1 + random.nextInt(LARGEST)));
          accepted.incrementAndGet();
        } catch (MillraceException e) {
          // The node is away, has no slots left, or its last move is not finished.
          refusals.merge(e.code(), 1, Integer::sum);
          last = e.getMessage();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Moves that were carried out. */
  int accepted() {
    return accepted.get();
  }

  @Override
  public String toString() {
    return "%d of %d slot moves accepted, others refused: %s, at last: %s"
        .formatted(accepted.get(), asked.get(), refusals, last);
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
