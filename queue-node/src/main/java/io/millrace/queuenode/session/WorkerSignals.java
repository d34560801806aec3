package io.millrace.queuenode.session;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the polls of session workers that wait for events. One poll of a worker's process waits at
 * a time: a newer one ends the older, whose caller has probably gone. A poll of another process
 * does not, as it may be of nobody who is registered. Waiting occupies no thread. There are as many
 * signals as polls in progress. Thread-safe.
 */
final class WorkerSignals {
  private record WorkerOfQueue(String queue, UUID worker) {}

  // Of each worker by process.
  private final Map<WorkerOfQueue, Map<UUID, PollWait>> waiting = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Begins a poll of a worker's process, before it looks for events. */
  PollWait begin(String queue, UUID worker, UUID process) {
    PollWait mine = new PollWait(process);
    PollWait[] older = new PollWait[1];
    waiting.compute(
        new WorkerOfQueue(queue, worker),
        (key, known) -> {
          Map<UUID, PollWait> all = known == null ? new ConcurrentHashMap<>(2) : known;
          older[0] = all.put(process, mine);
          return all;
        });
    if (older[0] != null) {
      older[0].end();
    }
    if (closed) {
      mine.end();
    }
    return mine;
  }

  /** Ends a poll. */
  void end(String queue, UUID worker, PollWait mine) {
    mine.end();
    waiting.computeIfPresent(
        new WorkerOfQueue(queue, worker),
        (key, all) -> {
          all.remove(mine.process, mine);
          return all.isEmpty() ? null : all;
        });
  }

  /** There is something for a worker to fetch. */
  void ring(String queue, UUID worker) {
    Map<UUID, PollWait> all = waiting.get(new WorkerOfQueue(queue, worker));
    if (all != null) {
      all.values().forEach(PollWait::ring);
    }
  }

  /** All workers of a queue look again. */
  void ringAll(String queue) {
    waiting.forEach(
        (key, all) -> {
          if (key.queue().equals(queue)) {
            all.values().forEach(PollWait::ring);
          }
        });
  }

  int waiting() {
    return waiting.values().stream().mapToInt(Map::size).sum();
  }

  /** Ends all waiting, now and from now on. */
  void close() {
    closed = true;
    waiting.values().forEach(all -> all.values().forEach(PollWait::end));
  }

  /** The signal of one poll. Thread-safe. */
  static final class PollWait {
    private final UUID process;
    // Guarded by this.
    private boolean rung;
    private boolean ended;
    private CompletableFuture<Boolean> wakeUp;

    PollWait(UUID process) {
      this.process = process;
    }

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
