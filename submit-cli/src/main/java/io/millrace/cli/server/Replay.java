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
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Replays the day with a thread for each queue, from where an earlier run stopped. */
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

  /** Whether nothing is left to send; throws the error that stopped the replay of a queue. */
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

  /** Why a batch is not acknowledged yet, if there is an error. */
  Optional<String> lastError() {
    return queues.stream().map(QueueReplay::lastError).filter(Objects::nonNull).findFirst();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }

  /** The time of the replayed day, which runs faster than real time. Thread-safe. */
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
     * @param from seconds of the day at which it starts
     * @param to seconds of the day at which it stops
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
   * Iterates over the events of one queue in the order of the day; the events of a slot are
   * distributed evenly over it. Not thread-safe.
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

    /** Time of the next event in seconds from the start of the day. */
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

    /** Skips events that were sent in an earlier run. */
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
   * Sends the events of one queue at their times. A batch is sent under the same name until it is
   * acknowledged, so that a batch whose answer was lost is stored once. Runs on one thread.
   */
  static final class QueueReplay {
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
    private static final Duration RETRY_DELAY = Duration.ofMillis(250);
    private static final int MAX_BATCH = 1_000;

    private final DemoQueue queue;
    private final EventCursor cursor;
    private final QueueClient balancer;
    private final Journal journal;
    private final Waiter waiter = new Waiter();
    private final AtomicLong sent;
    private volatile String lastError;

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

    /** When its next event is due, in seconds of the day; the maximum value if none is left. */
    double nextDue() {
      return cursor.atEnd() ? Double.MAX_VALUE : cursor.dueSeconds();
    }

    /** Events sent to the load balancer so far, including earlier runs. */
    long sent() {
      return sent.get();
    }

    /** Why the current batch is not acknowledged yet; null if there is no error. */
    String lastError() {
      return lastError;
    }

    /** Sends until the end of the day or the thread is interrupted. */
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
      while (ids.size() < MAX_BATCH && !cursor.atEnd() && cursor.dueSeconds() <= now) {
        ids.add(queue.id(cursor.number()));
        body.writeBytes(cursor.line().getBytes(StandardCharsets.UTF_8));
        cursor.advance();
      }
      sent.addAndGet(ids.size());
      // Named by its events: after a restart, other batches have other names.
      String name = "demo-" + ids.get(0) + "-" + ids.size();
      while (!acknowledged(name, body.toByteArray())) {
        waiter.await(RETRY_DELAY);
      }
      journal.append(queue.name(), ids);
    }

    private boolean acknowledged(String name, byte[] body) {
      try {
        balancer.send(queue.name(), name, EventMedia.ENVELOPES, body);
        lastError = null;
        return true;
      } catch (MillraceException e) {
        lastError = e.getMessage();
        return false;
      }
    }
  }

  /**
   * The ids of acknowledged events, one per line. Each queue's ids are there in order and without
   * gaps, so that their number is the position to continue from. Written immediately, so it
   * survives kill -9 of the process (not the loss of the machine). Thread-safe.
   */
  static final class Journal implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;
    private final Map<String, Long> acknowledged = new HashMap<>();

    private Journal(Path path, FileChannel channel) {
      this.path = path;
      this.channel = channel;
    }

    /** Opens the journal and counts its content; an incomplete last line is removed. */
    static Journal open(Path path) throws IOException {
      Files.createDirectories(path.toAbsolutePath().getParent());
      FileChannel channel =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      Journal journal = new Journal(path, channel);
      journal.count();
      return journal;
    }

    private void count() throws IOException {
      String text = Files.readString(path, StandardCharsets.US_ASCII);
      int whole = text.lastIndexOf('\n') + 1;
      text.substring(0, whole)
          .lines()
          .map(id -> id.substring(0, id.lastIndexOf('-')))
          .forEach(queue -> acknowledged.merge(queue, 1L, Long::sum));
      channel.truncate(whole);
      channel.position(whole);
    }

    Path path() {
      return path;
    }

    /** Number of acknowledged events of a queue. */
    synchronized long of(String queue) {
      return acknowledged.getOrDefault(queue, 0L);
    }

    synchronized long total() {
      return acknowledged.values().stream().mapToLong(Long::longValue).sum();
    }

    synchronized void append(String queue, List<String> ids) throws IOException {
      ByteBuffer lines =
          ByteBuffer.wrap((String.join("\n", ids) + "\n").getBytes(StandardCharsets.US_ASCII));
      while (lines.hasRemaining()) {
        channel.write(lines);
      }
      acknowledged.merge(queue, (long) ids.size(), Long::sum);
    }

    @Override
    public synchronized void close() throws IOException {
      channel.close();
    }
  }
}
