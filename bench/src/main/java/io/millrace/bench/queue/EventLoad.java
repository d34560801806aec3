package io.millrace.bench.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.bench.queue.BenchClient.Bodies;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Producers and consumers of one phase: numbered events, each of which must be delivered. */
final class EventLoad {
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(2);
  private static final long LONGEST = Duration.ofMinutes(10).toNanos();
  private static final int DIGITS = 3;
  private static final int EMPTY_LEASES = 15;
  private static final int STUCK_SECONDS = 60;

  private final QueueNodeCluster cluster;
  private final Bodies bodies;
  private final Clock clock;
  private final int batch;
  private final long events;
  private final String name;
  private final AtomicLong next = new AtomicLong();
  private final Delivered delivered;
  private final Histogram delays = new ConcurrentHistogram(LONGEST, DIGITS);

  /**
   * A phase that has not started.
   *
   * @param name prefix that makes its batch names unique
   */
  EventLoad(
      QueueNodeCluster cluster, Bodies bodies, Clock clock, String name, int batch, long events) {
    this.cluster = cluster;
    this.bodies = bodies;
    this.clock = clock;
    this.name = name;
    this.batch = batch;
    this.events = events;
    this.delivered = new Delivered(events);
  }

  Delivered delivered() {
    return delivered;
  }

  Histogram delays() {
    return delays;
  }

  /** Puts its share of the events; a window limits how many are ahead of the consumers. */
  void produce(int number, Semaphore window) {
    BenchClient client = cluster.client(number % cluster.size());
    long first = next.getAndAdd(batch);
    while (first < events) {
      int count = (int) Math.min(batch, events - first);
      enter(window, count);
      client.put(name + "-" + first, bodies.lines(first, count, clock.nanoTime()));
      first = next.getAndAdd(batch);
    }
  }

  /** Leases and acknowledges until all events were delivered or no more arrive. */
  void consume(int number, Semaphore window) {
    BenchClient client = cluster.client(number % cluster.size());
    int empty = 0;
    while (delivered.distinct() < events && empty < EMPTY_LEASES) {
      BenchClient.Leased lease = client.lease(batch, POLL_TIMEOUT);
      long now = clock.nanoTime();
      empty = lease.events().isEmpty() ? empty + 1 : 0;
      for (BenchClient.Numbered event : lease.events()) {
        delivered.add(Bodies.number(event));
        delays.recordValue(Math.min(LONGEST, Math.max(0, now - event.putNanos())));
      }
      if (!lease.receipts().isEmpty()) {
        client.acknowledge(lease.receipts());
      }
      if (window != null) {
        window.release(lease.events().size());
      }
    }
  }

  private static void enter(Semaphore window, int count) {
    try {
      if (window != null && !window.tryAcquire(count, STUCK_SECONDS, TimeUnit.SECONDS)) {
        throw new MillraceException(
            ErrorCode.TIMEOUT, "the consumers have received nothing for " + STUCK_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.UNAVAILABLE, "the benchmark was interrupted", e);
    }
  }

  /** The delivered events as a bit set, and the number of repeated deliveries. Thread-safe. */
  static final class Delivered {
    private static final int BITS = Integer.SIZE;

    private final AtomicIntegerArray seen;
    private final LongAdder distinct = new LongAdder();
    private final LongAdder duplicates = new LongAdder();

    Delivered(long events) {
      this.seen = new AtomicIntegerArray((int) (events / BITS) + 1);
    }

    void add(long number) {
      int bit = 1 << (int) (number % BITS);
      int before = seen.getAndUpdate((int) (number / BITS), bits -> bits | bit);
      if ((before & bit) == 0) {
        distinct.increment();
      } else {
        duplicates.increment();
      }
    }

    long distinct() {
      return distinct.sum();
    }

    long duplicates() {
      return duplicates.sum();
    }
  }
}
