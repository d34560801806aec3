package io.millrace.bench.queue;

import io.millrace.api.MillraceException;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.bench.queue.EventLoad.Delivered;
import io.millrace.platform.clock.Clock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends single events through the load balancer at a variable rate, distributed unevenly over
 * queues, with a consumer for each segment.
 */
final class BalanceLoad {
  /** The queues with their share of the load in percent. */
  static final Map<String, Integer> QUEUES = Map.of("alert", 60, "push", 30, "mail", 10);

  private static final int PRODUCERS = 12;
  private static final int LEASED = 100;
  private static final int PAYLOAD = 200;
  private static final int MAX_EVENTS = 20_000_000;
  private static final int HUNDRED = 100;
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

  private final URI balancer;
  private final List<URI> nodes;
  private final String token;
  private final Clock clock;
  private final Bodies bodies = new Bodies(PAYLOAD);
  private final WorkerThreads producers = new WorkerThreads("balance-producers");
  private final WorkerThreads consumers = new WorkerThreads("balance-consumers");
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final Delivered delivered = new Delivered(MAX_EVENTS);
  private volatile int rate;
  private volatile boolean sending = true;
  private volatile boolean consuming = true;

  BalanceLoad(URI balancer, List<URI> nodes, String token, Clock clock, int rate) {
    this.balancer = balancer;
    this.nodes = List.copyOf(nodes);
    this.token = token;
    this.clock = clock;
    this.rate = rate;
  }

  void start() {
    producers.start(PRODUCERS, producer -> produce());
    for (String queue : QUEUES.keySet()) {
      consumers.start(
          nodes.size(), node -> consume(new BenchClient(queue, nodes.get(node), token)));
    }
  }

  void rate(int eventsPerSecond) {
    rate = eventsPerSecond;
  }

  /** Stops sending and waits until the last producer has its answer; consumers continue. */
  void stopSending() throws InterruptedException {
    sending = false;
    producers.await();
  }

  /** Stops consuming and waits until the last consumer has ended. */
  void stopConsuming() throws InterruptedException {
    consuming = false;
    consumers.await();
  }

  long acknowledged() {
    return acknowledged.get();
  }

  long delivered() {
    return delivered.distinct();
  }

  private void produce() {
    long due = clock.nanoTime();
    while (sending) {
      due += Duration.ofSeconds(PRODUCERS).toNanos() / rate;
      for (long rest = due - clock.nanoTime(); rest > 0; rest = due - clock.nanoTime()) {
        LockSupport.parkNanos(rest);
      }
      put(numbers.getAndIncrement());
    }
  }

  private void put(long number) {
    BenchClient client = new BenchClient(queueOf(number), balancer, token);
    try {
      client.put("balance-" + number, bodies.lines(number, 1, clock.nanoTime()));
      acknowledged.incrementAndGet();
    } catch (MillraceException e) {
      // Not acknowledged, so it does not count as lost.
      LockSupport.parkNanos(Duration.ofMillis(HUNDRED).toNanos());
    }
  }

  private static String queueOf(long number) {
    long percent = number * 37 % HUNDRED;
    if (percent < QUEUES.get("alert")) {
      return "alert";
    }
    return percent < QUEUES.get("alert") + QUEUES.get("push") ? "push" : "mail";
  }

  private void consume(BenchClient client) {
    while (consuming) {
      try {
        BenchClient.Leased lease = client.lease(LEASED, POLL_TIMEOUT);
        lease.events().forEach(event -> delivered.add(Bodies.number(event)));
        if (!lease.receipts().isEmpty()) {
          client.acknowledge(lease.receipts());
        }
      } catch (MillraceException e) {
        // The segment does not exist (yet), or the node is too slow: retried.
        LockSupport.parkNanos(POLL_TIMEOUT.toNanos());
      }
    }
  }
}
