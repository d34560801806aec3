package io.millrace.api.client;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that run the steps of one key one after the other, and those of different keys at the
 * same time. A session that moves from one queue node to another is so never in work twice. Holds
 * as many steps as were added and not run. Thread-safe.
 */
final class KeyedThreads {
  private final ExecutorService pool;
  // Guarded by this. The first step of a key is running or about to.
  private final Map<String, ArrayDeque<Runnable>> steps = new HashMap<>();

  /**
   * Starts no thread before it is needed.
   *
   * @param name of the threads, before their number
   */
  KeyedThreads(String name, int threads) {
    AtomicInteger number = new AtomicInteger();
    pool =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Adds a step, which must not throw; dropped after the end. */
  void add(String key, Runnable step) {
    synchronized (this) {
      ArrayDeque<Runnable> waiting = steps.get(key);
      if (waiting != null) {
        waiting.add(step);
        return;
      }
      steps.put(key, new ArrayDeque<>(List.of(step)));
    }
    next(key);
  }

  private void next(String key) {
    try {
      pool.execute(() -> run(key));
    } catch (RejectedExecutionException ended) {
      synchronized (this) {
        steps.remove(key);
        notifyAll();
      }
    }
  }

  private void run(String key) {
    Runnable step;
    synchronized (this) {
      step = steps.get(key).peek();
    }
    try {
      step.run();
    } finally {
      boolean more;
      synchronized (this) {
        ArrayDeque<Runnable> waiting = steps.get(key);
        waiting.remove();
        more = !waiting.isEmpty();
        if (!more) {
          steps.remove(key);
          notifyAll();
        }
      }
      if (more) {
        next(key);
      }
    }
  }

  /** Waits until nothing is left to run, and ends; whether that was within the time. */
  boolean end(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    synchronized (this) {
      while (!steps.isEmpty()) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    }
    pool.shutdown();
    return true;
  }

  /** Interrupts what is running and drops the rest. */
  void interrupt() {
    pool.shutdownNow();
  }
}
