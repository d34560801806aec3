package io.millrace.manager.web;

import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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

  /** Gives up on all that wait. */
  @Override
  public void stop() {
    threads.shutdownNow();
  }

  private final class Poll<T> {
    private final Supplier<CompletableFuture<Void>> hint;
    private final Supplier<T> look;
    private final Predicate<T> enough;
    private final long deadline;

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
      CompletableFuture<Void> changed = hint.get();
      T seen;
      try {
        seen = look.get();
      } catch (RuntimeException failure) {
        changed.cancel(false);
        return CompletableFuture.failedFuture(failure);
      }
      long left = deadline - clock.nanoTime();
      if (left <= 0 || enough.test(seen)) {
        changed.cancel(false);
        return CompletableFuture.completedFuture(seen);
      }
      return changed
          .completeOnTimeout(null, Math.min(left, FALLBACK.toNanos()), TimeUnit.NANOSECONDS)
          .thenComposeAsync(nothing -> next(), threads);
    }
  }
}
