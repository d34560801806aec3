package io.millrace.manager.http;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Polls until there is an answer or a timeout, without a thread for each waiting caller: after each
 * wake-up, and twice a second in case another central manager made the change. Thread-safe.
 */
public final class LongPoll implements Service {
  private static final Duration FALLBACK = Duration.ofMillis(500);
  private static final int THREADS = 4;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Threads.daemons("long-poll"));
  private final Clock clock;
  private final Set<Poll<?>> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  public LongPoll(Clock clock) {
    this.clock = clock;
  }

  /**
   * Polls; the first time at once, on the caller's thread.
   *
   * @param wakeUp supplies a future that completes when polling again is worthwhile
   * @param poll reads the database; its failure fails the answer
   * @param enough whether a result is an answer
   * @param timeout after this time any result is the answer
   */
  public <T> CompletableFuture<T> until(
      Supplier<CompletableFuture<Void>> wakeUp,
      Supplier<T> poll,
      Predicate<T> enough,
      Duration timeout) {
    return new Poll<>(wakeUp, poll, enough, clock.nanoTime() + timeout.toNanos()).next();
  }

  @Override
  public void start() {}

  /** Answers all waiting callers with the present result. */
  @Override
  public void stop() {
    stopping = true;
    waiting.forEach(Poll::pollNow);
    threads.shutdown();
  }

  private final class Poll<T> {
    private final Supplier<CompletableFuture<Void>> wakeUp;
    private final Supplier<T> poll;
    private final Predicate<T> enough;
    private final long deadline;
    private volatile CompletableFuture<Void> changed;

    Poll(
        Supplier<CompletableFuture<Void>> wakeUp,
        Supplier<T> poll,
        Predicate<T> enough,
        long deadline) {
      this.wakeUp = wakeUp;
      this.poll = poll;
      this.enough = enough;
      this.deadline = deadline;
    }

    CompletableFuture<T> next() {
      // Requested before polling, so that a change right after it is not missed.
      changed = wakeUp.get();
      T result;
      try {
        result = poll.get();
      } catch (RuntimeException failure) {
        end();
        return CompletableFuture.failedFuture(failure);
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0 || stopping || enough.test(result)) {
        end();
        return CompletableFuture.completedFuture(result);
      }
      waiting.add(this);
      // Checked after the entry above, so that a stop in between is not missed.
      if (stopping) {
        end();
        return CompletableFuture.completedFuture(result);
      }
      return changed
          .completeOnTimeout(null, Math.min(left, FALLBACK.toNanos()), TimeUnit.NANOSECONDS)
          .thenComposeAsync(nothing -> next(), threads);
    }

    void pollNow() {
      changed.complete(null);
    }

    private void end() {
      waiting.remove(this);
      changed.cancel(false);
    }
  }
}
