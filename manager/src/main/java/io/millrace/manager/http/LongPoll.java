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
 * Looks until there is something to say or the patience is over, without a thread per waiting
 * caller: after each hint, and twice a second in case another central manager made the change.
 * Thread-safe.
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
   * The first look happens at once, on the caller's thread.
   *
   * @param hint a new future that completes when a look is worth it
   * @param look asks the database; its failure fails the answer
   * @param enough whether what was seen is an answer
   * @param patience afterwards whatever is seen is the answer
   */
  public <T> CompletableFuture<T> until(
      Supplier<CompletableFuture<Void>> hint,
      Supplier<T> look,
      Predicate<T> enough,
      Duration patience) {
    return new Poll<>(hint, look, enough, clock.nanoTime() + patience.toNanos()).next();
  }

  @Override
  public void start() {}

  /** Answers all that wait with what there is to see now. */
  @Override
  public void stop() {
    stopping = true;
    waiting.forEach(Poll::lookNow);
    threads.shutdown();
  }

  private final class Poll<T> {
    private final Supplier<CompletableFuture<Void>> hint;
    private final Supplier<T> look;
    private final Predicate<T> enough;
    private final long deadline;
    private volatile CompletableFuture<Void> changed;

    Poll(
        Supplier<CompletableFuture<Void>> hint,
        Supplier<T> look,
        Predicate<T> enough,
        long deadline) {
      this.hint = hint;
      this.look = look;
      this.enough = enough;
      this.deadline = deadline;
    }

    CompletableFuture<T> next() {
      // Asked for before the look, so that a change right after it is not missed.
      changed = hint.get();
      T seen;
      try {
        seen = look.get();
      } catch (RuntimeException failure) {
        end();
        return CompletableFuture.failedFuture(failure);
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0 || stopping || enough.test(seen)) {
        end();
        return CompletableFuture.completedFuture(seen);
      }
      waiting.add(this);
      // Asked for after the entry above, so that a stop in between is not missed.
      if (stopping) {
        end();
        return CompletableFuture.completedFuture(seen);
      }
      return changed
          .completeOnTimeout(null, Math.min(left, FALLBACK.toNanos()), TimeUnit.NANOSECONDS)
          .thenComposeAsync(nothing -> next(), threads);
    }

    void lookNow() {
      changed.complete(null);
    }

    private void end() {
      waiting.remove(this);
      changed.cancel(false);
    }
  }
}
