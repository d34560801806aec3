package io.millrace.executor.node;

import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that attempts share: a pool for calls that block, and a timer that never does.
 *
 * <p>An attempt has one call under way at a time, so that as many threads as slots are enough for
 * no attempt to wait for another's sick queue node. Idle threads go.
 */
final class AttemptThreads implements Service {
  private static final int LEAST = 4;
  private static final int MOST = 128;
  private static final int IDLE_SECONDS = 30;

  private final ThreadPoolExecutor pool;
  private final ScheduledThreadPoolExecutor timer;

  AttemptThreads(String name, int slots) {
    int size = Math.min(MOST, Math.max(LEAST, slots + 2));
    this.pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.daemons("attempts-" + name),
            // What comes after the stop is the next agent's.
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> Threads.daemon("attempt-timer-" + name, task),
            new ThreadPoolExecutor.DiscardPolicy());
    timer.setRemoveOnCancelPolicy(true);
  }

  ExecutorService pool() {
    return pool;
  }

  ScheduledThreadPoolExecutor timer() {
    return timer;
  }

  @Override
  public void start() {
    // Threads begin when they are needed.
  }

  @Override
  public void stop() {
    timer.shutdownNow();
    pool.shutdownNow();
  }
}
