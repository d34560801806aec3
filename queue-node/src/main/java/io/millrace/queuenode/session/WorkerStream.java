package io.millrace.queuenode.session;

import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import io.millrace.queuenode.session.WorkerSignals.PollWait;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;

/**
 * The stream of one worker. What goes to it and the answers to its reports are numbered here, in
 * the order in which the store sees them; as the first number is chosen at random, what the worker
 * has not acknowledged is delivered again on a new stream. Thread-safe.
 */
public final class WorkerStream implements AutoCloseable {
  private final UUID incarnation;
  private final Clock clock;
  private final WorkerPolls polls;
  private final Runnable atEnd;
  private final String queue;
  private final UUID worker;
  private final Waiter pause = new Waiter();
  private volatile boolean ended;
  // Guarded by this; small enough for readers whose numbers are all floating-point ones.
  private long next = ThreadLocalRandom.current().nextLong(1L << 40, 1L << 52);
  private long heardAt;
  private PollWait waiting;

  WorkerStream(
      WorkerPolls polls, String queue, UUID worker, UUID incarnation, Clock clock, Runnable atEnd) {
    this.polls = polls;
    this.queue = queue;
    this.worker = worker;
    this.incarnation = incarnation;
    this.clock = clock;
    this.atEnd = atEnd;
    this.heardAt = clock.nanoTime();
  }

  boolean isOf(UUID process) {
    return incarnation.equals(process);
  }

  UUID incarnation() {
    return incarnation;
  }

  /** Uses the next number; what it submits to the store is submitted in the order of numbers. */
  synchronized <T> T numbered(LongFunction<T> submitted) {
    long number = next;
    next++;
    return submitted.apply(number);
  }

  /** A report of the worker, by which it is heard of. */
  synchronized <T> T reported(LongFunction<T> submitted) {
    heardAt = clock.nanoTime();
    return numbered(submitted);
  }

  /** How long ago the worker reported; it may stand still although its connection is open. */
  public synchronized Duration silence() {
    return Duration.ofNanos(clock.nanoTime() - heardAt);
  }

  /** What there is for the worker, within the patience; possibly nothing. */
  public CompletableFuture<PollAnswered> next(int max, Duration patience) {
    return polls.streamed(this, queue, worker, max, patience);
  }

  /** Notes what it waits with, so that its end interrupts that. */
  synchronized void waits(PollWait wait) {
    waiting = wait;
    if (ended) {
      wait.end();
    }
  }

  /** Waits without a look for events, each of which would count as a heartbeat of the worker. */
  public void pause(Duration atMost) throws InterruptedException {
    if (!ended) {
      pause.await(atMost);
    }
  }

  /** Whether nothing more is to go to the worker on it. */
  public boolean ended() {
    return ended;
  }

  /** Ends it, and what its thread waits for. Never blocks for long. */
  public synchronized void end() {
    ended = true;
    pause.wake();
    if (waiting != null) {
      waiting.end();
    }
  }

  @Override
  public void close() {
    atEnd.run();
  }
}
