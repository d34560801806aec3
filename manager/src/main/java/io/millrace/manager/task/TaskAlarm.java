package io.millrace.manager.task;

import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the launching when the next task is due. A hint: polling finds what it misses. Thread-safe.
 */
public final class TaskAlarm implements Service {
  /** Polling comes earlier than anything later than this. */
  private static final Duration FAR = Duration.ofMinutes(1);

  /** Margin, so that the due time has passed by the database's clock. */
  private static final Duration AFTER = Duration.ofMillis(1);

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Threads.daemons("task-alarm"));
  // Guarded by this.
  private ScheduledFuture<?> set;

  public TaskAlarm() {
    timer.setRemoveOnCancelPolicy(true);
  }

  @Override
  public void start() {}

  /** RingCache after that time, and not when it was set to before. */
  public synchronized void set(Duration time, Runnable callback) {
    if (set != null) {
      set.cancel(false);
      set = null;
    }
    if (time.compareTo(FAR) < 0) {
      long nanos = Math.max(0, time.plus(AFTER).toNanos());
      try {
        set = timer.schedule(callback, nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException stopped) {
        set = null;
      }
    }
  }

  @Override
  public void stop() {
    timer.shutdownNow();
  }
}
