package io.millrace.executor.node;

import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of attempts: a pool for blocking calls, those of streams, and a timer that never
 * blocks.
 *
 * <p>An attempt makes one call at a time, so with as many threads as slots no attempt waits for a
 * slow queue node of another one. Idle threads end.
 */
final class AttemptThreads implements Service {
  private static final int MIN = 4;
  private static final int MAX = 128;
  private static final int IDLE_SECONDS = 30;

  private final ThreadPoolExecutor pool;
  private final ThreadPoolExecutor streams;
  private final ScheduledThreadPoolExecutor timer;

  AttemptThreads(String name, int slots) {
    int size = Math.min(MAX, Math.max(MIN, slots + 2));
    this.pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.daemons("attempts-" + name),
            // Whatever follows after the stop is left to the next agent.
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    this.streams =
        new ThreadPoolExecutor(
            0,
            // Two for each worker with a stream, of which there are at most as many as slots.
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Threads.daemons("streams-" + name),
            new ThreadPoolExecutor.DiscardPolicy());
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

  ExecutorService streams() {
    return streams;
  }

  ScheduledThreadPoolExecutor timer() {
    return timer;
  }

  @Override
  public void start() {
    // Threads are started on demand.
  }

  @Override
  public void stop() {
    timer.shutdownNow();
    pool.shutdownNow();
    streams.shutdownNow();
  }
}
