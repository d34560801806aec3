package io.millrace.tests.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.EventMedia.EventDraft;
import io.millrace.tests.drill.ledger.BatchOutcome;
import io.millrace.tests.drill.ledger.DrillLedger;
import io.millrace.tests.drill.ledger.SentBatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sends batches of events with unique ids, one after the other, until it is stopped. A batch that
 * was not acknowledged is sent again under its name, through the same load balancer first and then
 * through the others; its final outcome is recorded in the ledger. Runs on one thread.
 */
final class Producer implements Runnable {
  private static final int TRIES = 12;
  private static final int LARGEST = 20;
  private static final long PAUSE_MILLIS = 80;
  private static final int DELAYED_ONE_IN = 10;
  private static final Duration DELAY = Duration.ofSeconds(1);
  private static final JsonNode NO_DATA = JsonNodeFactory.instance.objectNode();
  private static final long BEFORE_REPEATING_MILLIS = 300;

  private final String name;
  private final List<QueueClient> balancers;
  private final List<String> queues;
  private final DrillLedger ledger;
  private final RandomGenerator random;
  private final CountDownLatch stopped;
  private int batches;

  /**
   * A producer.
   *
   * @param name unique in the drill
   * @param balancers the preferred one first
   */
  Producer(
      String name,
      List<QueueClient> balancers,
      List<String> queues,
      DrillLedger ledger,
      RandomGenerator random,
      CountDownLatch stopped) {
    this.name = name;
    this.balancers = List.copyOf(balancers);
    this.queues = List.copyOf(queues);
    this.ledger = ledger;
    this.random = random;
    this.stopped = stopped;
  }

  @Override
  public void run() {
    while (!pause(random.nextLong(PAUSE_MILLIS))) {
      String queue = queues.get(random.nextInt(queues.size()));
      String batch = name + "-" + batches++;
      List<String> ids =
          IntStream.rangeClosed(0, random.nextInt(LARGEST)).mapToObj(n -> batch + "-" + n).toList();
      Duration delay = random.nextInt(DELAYED_ONE_IN) == 0 ? DELAY : null;
      ledger.sent(send(queue, batch, ids, delay), System.nanoTime());
    }
  }

  private SentBatch send(String queue, String batch, List<String> ids, Duration delay) {
    byte[] body = body(ids, delay);
    long notBefore = System.nanoTime() + (delay == null ? 0 : delay.toNanos());
    boolean outcomeDoubtful = false;
    for (int tried = 0; tried < TRIES; tried++) {
      // Two tries through one balancer, then the next.
      QueueClient balancer = balancers.get(tried / 2 % balancers.size());
      try {
        balancer.send(queue, batch, EventMedia.ENVELOPES, body);
        return new SentBatch(queue, ids, notBefore, BatchOutcome.STORED, outcomeDoubtful);
      } catch (MillraceException e) {
        outcomeDoubtful |= !refused(e);
        if (pause(BEFORE_REPEATING_MILLIS)) {
          break;
        }
      }
    }
    BatchOutcome outcome = outcomeDoubtful ? BatchOutcome.UNKNOWN : BatchOutcome.REFUSED;
    return new SentBatch(queue, ids, notBefore, outcome, outcomeDoubtful);
  }

  private byte[] body(List<String> ids, Duration delay) {
    Integer priority = random.nextInt(EventMedia.HIGHEST_PRIORITY + 1);
    return ids.stream()
        .map(id -> new EventDraft(id, NO_DATA, null, delay, priority))
        .map(draft -> Json.write(draft) + "\n")
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Whether the answer guarantees that this try stored nothing. */
  private static boolean refused(MillraceException e) {
    return switch (e.code()) {
      case UNREACHABLE -> e.getCause() instanceof NothingSentException;
      case NO_SEGMENT, QUEUE_FULL, QUEUE_PAUSED, RATE_LIMITED, UNAVAILABLE, DISK_FULL -> true;
      // A drill sends only valid requests.
      case INVALID_REQUEST, MALFORMED_BODY, FORBIDDEN, UNAUTHENTICATED ->
          throw new AssertionError("a producer's batch was refused as invalid", e);
      default -> false;
    };
  }

  /** Waits; true once it is stopped. */
  private boolean pause(long millis) {
    try {
      return stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
