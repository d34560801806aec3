package io.millrace.tests.drill;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.tests.drill.ledger.Delivery;
import io.millrace.tests.drill.ledger.DrillLedger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Leases events of one queue node and ends the deliveries in every way that consumers can, until it
 * is stopped. Runs on one thread.
 */
final class Consumer implements Runnable {
  /** Duration of its leases. */
  static final Duration LEASE = Duration.ofSeconds(4);

  private static final Duration TIMEOUT = Duration.ofMillis(300);
  private static final int LARGEST = 60;
  private static final long AFTER_FAILURE_MILLIS = 200;

  private final String name;
  private final String nodeName;
  private final QueueClient node;
  private final List<String> queues;
  private final DrillLedger ledger;
  private final RandomGenerator random;
  private final AtomicBoolean calm;
  private final CountDownLatch stopped;

  /**
   * A consumer.
   *
   * @param nodeName the node whose events it leases
   * @param node the client for that node
   * @param calm true once it is to acknowledge everything
   */
  Consumer(
      String name,
      String nodeName,
      QueueClient node,
      List<String> queues,
      DrillLedger ledger,
      RandomGenerator random,
      AtomicBoolean calm,
      CountDownLatch stopped) {
    this.name = name;
    this.nodeName = nodeName;
    this.node = node;
    this.queues = List.copyOf(queues);
    this.ledger = ledger;
    this.random = random;
    this.calm = calm;
    this.stopped = stopped;
  }

  @Override
  public void run() {
    while (!pause(Duration.ZERO)) {
      for (String queue : queues) {
        try {
          finish(lease(queue));
        } catch (MillraceException e) {
          // The node is unavailable or does not know the queue yet.
          pause(Duration.ofMillis(AFTER_FAILURE_MILLIS));
        }
      }
    }
  }

  private HeldBatch lease(String queue) {
    long asked = System.nanoTime();
    int max = 1 + random.nextInt(LARGEST);
    Lease lease = node.lease(queue, new LeaseRequest(max, LEASE, TIMEOUT, name));
    long received = System.nanoTime();
    Map<String, Delivery> held = new LinkedHashMap<>();
    for (DeliveredEvent event : lease.events()) {
      held.put(
          event.receipt(),
          new Delivery(
              event.queue(), nodeName, event.id(), asked, received, lease.lease().toNanos()));
    }
    ledger.delivered(held.values());
    return new HeldBatch(node, queue, held);
  }

  private void finish(HeldBatch batch) {
    switch (calm.get() ? ConsumerAction.DILIGENT : ConsumerAction.any(random)) {
      case DILIGENT -> batch.acknowledge();
      case RETURNING -> {
        batch.refuseHalf(RefusalKind.RETURNED);
        batch.acknowledge();
      }
      case FAILING -> {
        batch.refuseHalf(RefusalKind.FAILED);
        batch.acknowledge();
      }
      case DYING -> {
        // As if it had never been leased.
      }
      case SLOW -> {
        pause(LEASE.plusMillis(200));
        batch.acknowledge();
      }
      case EXTENDING -> {
        pause(LEASE.dividedBy(2));
        batch.extend(LEASE);
        pause(LEASE.dividedBy(4).multipliedBy(3));
        batch.acknowledge();
      }
    }
  }

  /** Waits; true once it is stopped. */
  private boolean pause(Duration time) {
    try {
      return stopped.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
