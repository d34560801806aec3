package io.millrace.bench.session;

import io.millrace.bench.process.WorkerThreads;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/**
 * Producers and workers of a set of sessions, from the first put until each is completed. What it
 * counts is thread-safe; it is run once.
 */
final class SessionRound {
  /** How long nothing may happen before a round is given up. */
  static final Duration STALLED = Duration.ofSeconds(90);

  private static final int BATCHES_AHEAD = 4;
  private static final double SECOND = 1e9;

  private final SessionSource source;
  private final List<SessionBenchWorker> workers;
  private final Clock clock;
  private final Duration stalled;
  private final KeyOrderCheck check;
  private final Semaphore window;
  private final List<SessionProducer> producers = new ArrayList<>();
  private final WorkerThreads threads = new WorkerThreads("sessions");
  private final LongAdder stale = new LongAdder();
  private final AtomicLong progress;
  private final AtomicLong finished = new AtomicLong();
  private volatile boolean failed;
  private long begin;

  /**
   * A round that has not begun.
   *
   * @param name makes the names of its batches unique
   * @param stalled how long nothing may happen before it is given up
   */
  SessionRound(
      String name,
      SessionSource source,
      SessionLoad load,
      SessionCalls client,
      List<SessionBenchWorker> workers,
      Clock clock,
      Duration stalled) {
    this.stalled = stalled;
    this.source = source;
    this.workers = workers;
    this.clock = clock;
    this.check = new KeyOrderCheck(source);
    this.window =
        load.limited() ? new Semaphore(load.producers() * BATCHES_AHEAD * load.batch()) : null;
    this.progress = new AtomicLong(clock.nanoTime());
    SessionPace pace = new SessionPace(load.rate(), clock);
    for (int number = 0; number < load.producers(); number++) {
      producers.add(
          new SessionProducer(name + "-" + number, number, source, load, client, this, pace));
    }
  }

  /**
   * How events are sent.
   *
   * @param producers number of concurrent producers
   * @param batch events per request
   * @param duplicates share of events that are sent again
   * @param limited whether producers may be only some batches ahead of the workers
   * @param rate events per second; 0 for as many as possible
   */
  record SessionLoad(int producers, int batch, double duplicates, boolean limited, int rate) {}

  /** Runs it with all threads; blocks until it is over. */
  RoundResult run() throws InterruptedException {
    startProducers();
    startWorkers();
    return await();
  }

  void startProducers() {
    begin = clock.nanoTime();
    progressed();
    threads.start(producers.size(), number -> produce(producers.get(number)));
  }

  private void produce(SessionProducer producer) {
    try {
      producer.run();
    } catch (RuntimeException e) {
      failed = true;
      throw e;
    }
  }

  void startWorkers() {
    progressed();
    threads.start(workers.size(), number -> workers.get(number).work(this));
  }

  /** Starts a thread that ends with the round. */
  void start(Runnable work) {
    threads.start(1, number -> work.run());
  }

  /** Blocks until all threads have ended, and sends the duplicates that are still due. */
  RoundResult await() throws InterruptedException {
    threads.await();
    long end = clock.nanoTime();
    producers.forEach(SessionProducer::sendLastDuplicates);
    long accepted = sum(SessionProducer::accepted);
    return new RoundResult(
        accepted,
        source.sessions(),
        (end - begin) / SECOND,
        ((finished.get() == 0 ? end : finished.get()) - begin) / SECOND,
        Math.max(0, accepted - check.delivered()),
        check.violations(),
        source.completions() - check.completed(),
        sum(SessionProducer::duplicatesSent),
        sum(SessionProducer::duplicatesReported),
        check.handovers(),
        check.repeated(),
        stale.sum(),
        sum(SessionProducer::refusals),
        check.examples());
  }

  private long sum(ToLongFunction<SessionProducer> figure) {
    return producers.stream().mapToLong(figure).sum();
  }

  SessionSource source() {
    return source;
  }

  KeyOrderCheck check() {
    return check;
  }

  Semaphore window() {
    return window;
  }

  Clock clock() {
    return clock;
  }

  /** Notes that a worker received events that none had received before. */
  void received(int events) {
    if (events > 0) {
      progressed();
      if (window != null) {
        window.release(events);
      }
    }
    if (done()) {
      finished.compareAndSet(0, clock.nanoTime());
    }
  }

  void stale() {
    stale.increment();
  }

  /** Notes that something was stored or delivered. */
  void progressed() {
    progress.set(clock.nanoTime());
  }

  long accepted() {
    return sum(SessionProducer::accepted);
  }

  long refusals() {
    return sum(SessionProducer::refusals);
  }

  /**
   * Whether all is delivered and completed, a producer failed, or nothing has happened for a long
   * time.
   */
  boolean over() {
    return failed || done() || stalled();
  }

  boolean stalled() {
    return clock.nanoTime() - progress.get() > stalled.toNanos();
  }

  private boolean done() {
    return check.delivered() >= source.events() && check.completed() >= source.completions();
  }

  /**
   * What a round has come to.
   *
   * @param events that were accepted
   * @param sessions that were sent
   * @param seconds until the last thread had ended, as in the benchmark of ordinary queues
   * @param activeSeconds until the last completion was confirmed
   * @param lost events accepted and never delivered
   * @param orderViolations deliveries that broke the order of a key
   * @param unfinished sessions whose completion was never confirmed
   * @param duplicatesSent events sent again
   * @param duplicatesReported those of them that the node refused or called repeated
   * @param handovers assignments after a session's first one
   * @param repeated deliveries of what the same worker had before
   * @param stale results of workers that no longer had the session
   * @param refusals answers that asked to send a batch again
   * @param examples some violations, in words
   */
  record RoundResult(
      long events,
      int sessions,
      double seconds,
      double activeSeconds,
      long lost,
      long orderViolations,
      long unfinished,
      long duplicatesSent,
      long duplicatesReported,
      long handovers,
      long repeated,
      long stale,
      long refusals,
      List<String> examples) {
    long perSecond() {
      return Math.round(events / seconds);
    }
  }
}
