package io.millrace.cli.server;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.cli.server.DemoDay.DemoQueue;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Replays the day, one thread for each queue, from where an earlier life stopped. */
final class Replay implements AutoCloseable {
  private final List<QueueReplay> queues = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final DemoClock clock;

  Replay(DemoDay day, QueueClient balancer, Journal journal, Clock clock, double speed) {
    for (DemoQueue queue : day.queues()) {
      queues.add(new QueueReplay(queue, new EventCursor(day, queue), balancer, journal));
    }
    double from = queues.stream().mapToDouble(QueueReplay::nextDue).min().orElse(0);
    this.clock = new DemoClock(clock, speed, Math.min(from, day.seconds()), day.seconds());
  }

  void start() {
    for (QueueReplay queue : queues) {
      threads.add(Threads.daemon("replay-" + queue.queue().name(), () -> run(queue)));
    }
    threads.forEach(Thread::start);
  }

  private void run(QueueReplay queue) {
    try {
      queue.run(clock);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Whether nothing is left to send; throws what stopped a queue's replay. */
  boolean finished() throws IOException {
    Exception stopped = failure.get();
    if (stopped != null) {
      throw new IOException("the replay stopped: " + stopped.getMessage(), stopped);
    }
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Seconds of the replayed day that have passed. */
  double seconds() {
    return clock.seconds();
  }

  long sent() {
    return queues.stream().mapToLong(QueueReplay::sent).sum();
  }

  /** What keeps a batch from being acknowledged, if anything does. */
  Optional<String> trouble() {
    return queues.stream().map(QueueReplay::trouble).filter(words -> words != null).findFirst();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }

  /** The time of the replayed day, running so many times as fast as the real one. Thread-safe. */
  static final class DemoClock {
    private static final double NANOS = 1e9;

    private final Clock clock;
    private final double speed;
    private final double from;
    private final double to;
    private final long started;

    /**
     * Starts now.
     *
     * @param from seconds of the day at which it begins
     * @param to seconds of the day at which it stands still
     */
    DemoClock(Clock clock, double speed, double from, double to) {
      this.clock = clock;
      this.speed = speed;
      this.from = from;
      this.to = to;
      this.started = clock.nanoTime();
    }

    /** Seconds of the replayed day that have passed. */
    double seconds() {
      return Math.min(to, from + (clock.nanoTime() - started) / NANOS * speed);
    }
  }

  /**
   * Walks through one queue's events in the order of the day; the events of a slot are spread
   * evenly over it. Not thread-safe.
   */
  static final class EventCursor {
    private static final DateTimeFormatter MINUTE =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm");

    private final DemoDay day;
    private final DemoQueue queue;
    private int slot;
    private int inSlot;
    private long number = 1;

    EventCursor(DemoDay day, DemoQueue queue) {
      this.day = day;
      this.queue = queue;
      settle();
    }

    boolean atEnd() {
      return slot == queue.counts().size();
    }

    /** When the next event comes, in seconds from the day's start. */
    double dueSeconds() {
      double length = DemoDay.SLOT.toSeconds();
      return slot * length + inSlot * length / queue.counts().get(slot);
    }

    /** The next event's number, from 1. */
    long number() {
      return number;
    }

    /** The next event as an envelope line. */
    String line() {
      long minute = inSlot * DemoDay.SLOT.toMinutes() / queue.counts().get(slot);
      LocalDateTime at = day.start().plus(DemoDay.SLOT.multipliedBy(slot)).plusMinutes(minute);
      return "{\"id\":\""
          + queue.id(number)
          + "\",\"data\":"
          + Json.write(Map.of("symbol", queue.symbol(), "minute", MINUTE.format(at)))
          + "}\n";
    }

    void advance() {
      number++;
      inSlot++;
      settle();
    }

    /** Passes over events that were sent in an earlier life. */
    void skip(long events) {
      for (long i = 0; i < events && !atEnd(); i++) {
        advance();
      }
    }

    private void settle() {
      while (!atEnd() && inSlot >= queue.counts().get(slot)) {
        slot++;
        inSlot = 0;
      }
    }
  }

  /**
   * Sends one queue's events when their time comes. A batch is sent until it is acknowledged,
   * always under the same name, so that a batch whose answer got lost is stored once. Runs on one
   * thread.
   */
  static final class QueueReplay {
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
    private static final Duration BEFORE_REPEATING = Duration.ofMillis(250);
    private static final int MOST = 1_000;

    private final DemoQueue queue;
    private final EventCursor cursor;
    private final QueueClient balancer;
    private final Journal journal;
    private final Waiter waiter = new Waiter();
    private final AtomicLong sent;
    private volatile String trouble;

    QueueReplay(DemoQueue queue, EventCursor cursor, QueueClient balancer, Journal journal) {
      this.queue = queue;
      this.cursor = cursor;
      this.balancer = balancer;
      this.journal = journal;
      this.sent = new AtomicLong(journal.of(queue.name()));
      cursor.skip(sent.get());
    }

    DemoQueue queue() {
      return queue;
    }

    /** When its next event is due, in seconds of the day; the end of time when none is left. */
    double nextDue() {
      return cursor.atEnd() ? Double.MAX_VALUE : cursor.dueSeconds();
    }

    /** Events given to the load balancer so far, earlier lives included. */
    long sent() {
      return sent.get();
    }

    /** Why the current batch is not acknowledged yet; null when there is no trouble. */
    String trouble() {
      return trouble;
    }

    /** Sends until the day is over or the thread is interrupted. */
    void run(DemoClock clock) throws InterruptedException, IOException {
      while (!cursor.atEnd()) {
        waiter.await(BETWEEN_BATCHES);
        double now = clock.seconds();
        while (!cursor.atEnd() && cursor.dueSeconds() <= now) {
          sendDue(now);
        }
      }
    }

    private void sendDue(double now) throws InterruptedException, IOException {
      List<String> ids = new ArrayList<>();
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      while (ids.size() < MOST && !cursor.atEnd() && cursor.dueSeconds() <= now) {
        ids.add(queue.id(cursor.number()));
        body.writeBytes(cursor.line().getBytes(StandardCharsets.UTF_8));
        cursor.advance();
      }
      sent.addAndGet(ids.size());
      // Named by its events: after a restart another cut gets another name.
      String name = "demo-" + ids.get(0) + "-" + ids.size();
      while (!acknowledged(name, body.toByteArray())) {
        waiter.await(BEFORE_REPEATING);
      }
      journal.append(queue.name(), ids);
    }

    private boolean acknowledged(String name, byte[] body) {
      try {
        balancer.send(queue.name(), name, EventMedia.ENVELOPES, body);
        trouble = null;
        return true;
      } catch (MillraceException e) {
        trouble = e.getMessage();
        return false;
      }
    }
  }
}
