package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Repeats calls while no server can answer them, with growing pauses. Only for calls that change
 * nothing more when they are sent twice. Thread-safe if its pause is.
 */
public final class CallRepetition {
  /** How long a server may be restarted or replaced. */
  public static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Set<ErrorCode> REPEATED =
      EnumSet.of(
          ErrorCode.UNREACHABLE, ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.STORE_FAILURE);

  private final Pause pause;
  private final Duration patience;
  private final BiConsumer<MillraceException, Duration> onFailure;

  /**
   * Repeats calls.
   *
   * @param patience the most time of the pauses of one call
   * @param onFailure is told of each failure and of the pause that follows
   */
  public CallRepetition(
      Pause pause, Duration patience, BiConsumer<MillraceException, Duration> onFailure) {
    this.pause = pause;
    this.patience = patience;
    this.onFailure = onFailure;
  }

  /**
   * The answer of a call; blocks until there is one.
   *
   * @throws MillraceException the last failure, if it is of another kind, the pauses have taken too
   *     long, or the thread was interrupted
   */
  public <T> T call(Supplier<T> call) {
    return call(call, false);
  }

  /** The same, but if no server can be reached at the beginning, it fails at once. */
  public <T> T first(Supplier<T> call) {
    return call(call, true);
  }

  private <T> T call(Supplier<T> call, boolean first) {
    boolean unreached = first;
    Duration left = patience;
    Duration next = FIRST_PAUSE;
    while (true) {
      try {
        return call.get();
      } catch (MillraceException e) {
        unreached &= e.getCause() instanceof NothingSentException;
        if (unreached || !REPEATED.contains(e.code()) || left.compareTo(next) < 0) {
          throw e;
        }
        onFailure.accept(e, next);
        waitFor(next, e);
        left = left.minus(next);
        next = next.multipliedBy(2);
        next = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
      }
    }
  }

  private void waitFor(Duration time, MillraceException failure) {
    try {
      pause.pause(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** How a thread waits. */
  @FunctionalInterface
  public interface Pause {
    /** Blocks the calling thread; an interruption ends it. */
    Pause OF_THREAD = time -> TimeUnit.NANOSECONDS.sleep(time.toNanos());

    /** Blocks for that time. */
    void pause(Duration time) throws InterruptedException;
  }
}
