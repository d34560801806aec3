package io.millrace.tests.drill;

import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeCommand;
import io.millrace.tests.drill.cluster.DrillCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Drains and undrains one queue node after another, so that weights change constantly while faults
 * happen: the work of the central managers in a drill of events. Runs its own thread until it is
 * closed; closing blocks until no node is drained.
 */
final class RepeatedDrains implements AutoCloseable {
  private static final Duration DRAINED = Duration.ofSeconds(3);
  private static final Duration ACCEPTED_WITHIN = Duration.ofMinutes(5);

  private final DrillCluster cluster;
  private final RandomGenerator random;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "weight-churn");

  RepeatedDrains(DrillCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
    thread.start();
  }

  private void run() {
    List<String> nodes = cluster.shape().queueNodeNames();
    try {
      while (!stopped.await(0, TimeUnit.MILLISECONDS)) {
        String node = nodes.get(random.nextInt(nodes.size()));
        boolean asked = command(node, "drain");
        stopped.await(DRAINED.toMillis(), TimeUnit.MILLISECONDS);
        // Also without an answer: the request may have been executed.
        await(node + " is undrained")
            .atMost(ACCEPTED_WITHIN)
            .pollInterval(Duration.ofMillis(300))
            .until(() -> command(node, "undrain"));
        if (!asked) {
          stopped.await(DRAINED.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a central manager accepted it. */
  private boolean command(String node, String verb) {
    for (String central : cluster.shape().centralNames()) {
      try {
        if (cluster
            .impatient(central)
            .post("/v1/queue-nodes/" + node + "/" + verb, new NodeCommand(null, "the drill"))
            .ok()) {
          return true;
        }
      } catch (MillraceException e) {
        // Killed, frozen or without its database; tries the next one.
        continue;
      }
    }
    return false;
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
