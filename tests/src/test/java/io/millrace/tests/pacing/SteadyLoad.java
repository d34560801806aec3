package io.millrace.tests.pacing;

import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Sends events of one queue at a constant rate, independent of response times, until the rate is
 * halved because the machine cannot carry it. A batch without an answer is sent again under its
 * name until it is answered, so that the stored events are known in the end. Used by one thread; it
 * sends on others.
 */
final class SteadyLoad implements AutoCloseable {
  private static final int SENDERS = 16;
  private static final int END_SECONDS = 120;
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);

  private final QueueClient producer;
  private final String queue;
  private final byte[] body;
  private final int batch;
  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(SENDERS, task -> new Thread(task, "steady-load"));
  private final AtomicInteger batches = new AtomicInteger();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger beats = new AtomicInteger();
  private final int perSecond;
  private volatile int every = 1;
  private Future<?> beat;

  private SteadyLoad(QueueClient producer, String queue, int perSecond) {
    this.producer = producer;
    this.queue = queue;
    this.perSecond = perSecond;
    this.batch = (int) (perSecond * BETWEEN_BATCHES.toMillis() / 1000);
    this.body = Batches.body(batch);
  }

  /** Starts sending; the rate is a multiple of ten events per second. */
  static SteadyLoad start(QueueClient producer, String queue, int perSecond) {
    SteadyLoad load = new SteadyLoad(producer, queue, perSecond);
    // The timer thread only hands over batches: a slow answer must not lower the rate.
    load.beat =
        load.threads.scheduleAtFixedRate(
            load::beat, 0, BETWEEN_BATCHES.toMillis(), TimeUnit.MILLISECONDS);
    return load;
  }

  private void beat() {
    if (beats.getAndIncrement() % every == 0) {
      threads.execute(() -> send(batches.getAndIncrement()));
    }
  }

  /** Events per second from now on. */
  double rate() {
    return (double) perSecond / every;
  }

  /** Sends half as many from now on. */
  void halve() {
    every *= 2;
  }

  private void send(int number) {
    String name = queue + "-" + number;
    boolean stored = false;
    while (!stored && !Thread.currentThread().isInterrupted()) {
      try {
        producer.send(queue, name, EventMedia.LINES, body);
        stored = true;
      } catch (MillraceException e) {
        if (e.code().status() < 429) {
          failures.add(e);
          return;
        }
        pause();
      }
    }
    IntStream.range(0, batch).forEach(n -> sent.add(name + "-" + n));
  }

  private static void pause() {
    try {
      new Waiter().await(BETWEEN_BATCHES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops and waits for the answers; returns the ids of all stored events. */
  Set<String> stop() throws InterruptedException {
    beat.cancel(false);
    threads.shutdown();
    if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("batches of " + queue + " got no answer in " + END_SECONDS + " s");
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("a batch of " + queue + " was refused as invalid", failures.peek());
    }
    return Set.copyOf(sent);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
