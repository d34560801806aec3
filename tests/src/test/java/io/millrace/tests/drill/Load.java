package io.millrace.tests.drill;

import io.millrace.api.client.QueueClient;
import io.millrace.platform.identity.Role;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.ledger.DrillLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The producers and consumers of one round. Used by one thread. */
final class Load implements AutoCloseable {
  private static final Duration PRODUCER_TIMEOUT = Duration.ofSeconds(4);
  private static final Duration CONSUMER_TIMEOUT = Duration.ofSeconds(3);
  private static final int CONSUMERS_OF_A_NODE = 3;
  private static final int END_SECONDS = 60;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch producersStopped = new CountDownLatch(1);
  private final CountDownLatch consumersStopped = new CountDownLatch(1);
  private final AtomicBoolean calm = new AtomicBoolean();
  private final List<Future<?>> producers = new ArrayList<>();
  private final List<Future<?>> consumers = new ArrayList<>();

  /** Starts immediately; names of batches begin with the round's name. */
  Load(
      String round,
      DrillCluster cluster,
      List<String> queues,
      DrillLedger ledger,
      SplittableRandom random) {
    List<QueueClient> balancers = new ArrayList<>();
    for (String name : cluster.shape().balancerNames()) {
      balancers.add(cluster.over("producers>" + name, Role.PRODUCER, PRODUCER_TIMEOUT));
    }
    for (int number = 1; number <= 3; number++) {
      Collections.rotate(balancers, 1);
      producers.add(
          threads.submit(
              new Producer(
                  round.replace(' ', '-') + "-p" + number,
                  balancers,
                  queues,
                  ledger,
                  random.split(),
                  producersStopped)));
    }
    for (String node : cluster.shape().queueNodeNames()) {
      QueueClient client = cluster.over("consumers>" + node, Role.OPERATOR, CONSUMER_TIMEOUT);
      for (int number = 1; number <= CONSUMERS_OF_A_NODE; number++) {
        consumers.add(
            threads.submit(
                new Consumer(
                    "consumer " + number + " of " + node,
                    node,
                    client,
                    queues,
                    ledger,
                    random.split(),
                    calm,
                    consumersStopped)));
      }
    }
  }

  /** Throws the failure that ended a producer or a consumer prematurely. */
  void requireRunning() throws InterruptedException, ExecutionException {
    List<Future<?>> parts = new ArrayList<>(producers);
    parts.addAll(consumers);
    for (Future<?> part : parts) {
      if (part.isDone()) {
        part.get();
        throw new AssertionError("a producer or consumer ended prematurely");
      }
    }
  }

  /** Stops sending; waits for the outcome of requests in progress. */
  void stopSending() throws InterruptedException, ExecutionException, TimeoutException {
    producersStopped.countDown();
    end(producers);
  }

  /** From now on every event is acknowledged. */
  void acknowledgeAll() {
    calm.set(true);
  }

  /** Stops leasing; waits for the outcome of requests in progress. */
  void stopConsuming() throws InterruptedException, ExecutionException, TimeoutException {
    consumersStopped.countDown();
    end(consumers);
  }

  private static void end(List<Future<?>> parts)
      throws InterruptedException, ExecutionException, TimeoutException {
    for (Future<?> part : parts) {
      part.get(END_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    producersStopped.countDown();
    consumersStopped.countDown();
    threads.shutdownNow();
  }
}
