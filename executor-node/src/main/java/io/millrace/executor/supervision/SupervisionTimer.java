package io.millrace.executor.supervision;

import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a supervisor, {@code supervision-timer}, and its schedule.
 *
 * <p>A step that fails is logged and does not end the thread or a repetition. Once closed it drops
 * late steps: the attempts then belong to the next supervisor. Thread-safe.
 */
final class SupervisionTimer implements AutoCloseable {

  /** Cancels a step; does nothing if it was done already. */
  @FunctionalInterface
  interface Cancellation {
    void cancel();
  }

  private static final Logger LOGGER = LoggerFactory.getLogger(SupervisionTimer.class);
  private static final int SECONDS_TO_CLOSE = 10;

  private final ScheduledThreadPoolExecutor executor;

  SupervisionTimer() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> Threads.daemon("supervision-timer", task),
            new ThreadPoolExecutor.DiscardPolicy());
    executor.setRemoveOnCancelPolicy(true);
  }

  /** As soon as the thread is free, in the order of the calls. */
  void execute(Runnable step) {
    executor.execute(guarded(step));
  }

  /** Once, after a delay to the millisecond; at once if it is negative. */
  Cancellation after(Duration delay, Runnable step) {
    Future<?> pending = executor.schedule(guarded(step), delay.toMillis(), TimeUnit.MILLISECONDS);
    return () -> pending.cancel(false);
  }

  /** At once and then with a pause in between, until cancelled. */
  Cancellation every(Duration pause, Runnable step) {
    Future<?> pending =
        executor.scheduleWithFixedDelay(guarded(step), 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    return () -> pending.cancel(false);
  }

  boolean isClosed() {
    return executor.isShutdown();
  }

  /** Cancels all pending steps; waits for the current one, which is interrupted. */
  @Override
  public void close() {
    executor.shutdownNow();
    try {
      if (!executor.awaitTermination(SECONDS_TO_CLOSE, TimeUnit.SECONDS)) {
        LOGGER.warn("the supervision timer did not stop within {} s", SECONDS_TO_CLOSE);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static Runnable guarded(Runnable step) {
    return () -> {
      try {
        step.run();
      } catch (RuntimeException e) {
        LOGGER.error("a step of supervision failed; the others continue", e);
      }
    };
  }
}
