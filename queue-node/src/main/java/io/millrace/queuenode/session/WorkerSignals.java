package io.millrace.queuenode.session;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the polls of session workers that wait for events. One poll of a worker waits at a time: a
 * newer one ends the older, whose caller has probably gone. Waiting occupies no thread. There are
 * as many signals as polls in progress. Thread-safe.
 */
final class WorkerSignals {
  private record WorkerOfQueue(String queue, UUID worker) {}

  private final Map<WorkerOfQueue, PollWait> waiting = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Begins a poll, before it looks for events. */
  PollWait begin(String queue, UUID worker) {
    PollWait mine = new PollWait();
    PollWait older = waiting.put(new WorkerOfQueue(queue, worker), mine);
    if (older != null) {
      older.end();
    }
    if (closed) {
      mine.end();
    }
    return mine;
  }

  /** Ends a poll. */
  void end(String queue, UUID worker, PollWait mine) {
    mine.end();
    waiting.remove(new WorkerOfQueue(queue, worker), mine);
  }

  /** There is something for a worker to fetch. */
  void ring(String queue, UUID worker) {
    PollWait one = waiting.get(new WorkerOfQueue(queue, worker));
    if (one != null) {
      one.ring();
    }
  }

  /** All workers of a queue look again. */
  void ringAll(String queue) {
    waiting.forEach(
        (key, one) -> {
          if (key.queue().equals(queue)) {
            one.ring();
          }
        });
  }

  int waiting() {
    return waiting.size();
  }

  /** Ends all waiting, now and from now on. */
  void close() {
    closed = true;
    List.copyOf(waiting.values()).forEach(PollWait::end);
  }

  /** The signal of one poll. Thread-safe. */
  static final class PollWait {
    // Guarded by this.
    private boolean rung;
    private boolean ended;
    private CompletableFuture<Boolean> wakeUp;

    /**
     * Waits for a ring since the last wait. Dependents of the future run on the ringing thread, so
     * they must be short.
     *
     * @return whether to look again; false on timeout or when the poll is over
     */
    CompletableFuture<Boolean> await(Duration atMost) {
      CompletableFuture<Boolean> mine = new CompletableFuture<>();
      synchronized (this) {
        if (ended || atMost.isNegative() || atMost.isZero()) {
          return CompletableFuture.completedFuture(false);
        }
        if (rung) {
          rung = false;
          return CompletableFuture.completedFuture(true);
        }
        wakeUp = mine;
      }
      return mine.completeOnTimeout(false, atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    synchronized boolean over() {
      return ended;
    }

    void ring() {
      CompletableFuture<Boolean> woken;
      synchronized (this) {
        woken = wakeUp;
        wakeUp = null;
        rung = woken == null;
      }
      if (woken != null) {
        woken.complete(true);
      }
    }

    void end() {
      CompletableFuture<Boolean> woken;
      synchronized (this) {
        ended = true;
        woken = wakeUp;
        wakeUp = null;
      }
      if (woken != null) {
        woken.complete(false);
      }
    }
  }
}
