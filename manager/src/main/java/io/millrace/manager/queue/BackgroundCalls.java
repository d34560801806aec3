package io.millrace.manager.queue;

import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls that a central manager makes to queue nodes on its own account, in threads of their own: at
 * most one with the same subject at a time, and the next one after a pause. Thread-safe; never
 * blocks.
 */
public final class BackgroundCalls implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(BackgroundCalls.class);
  private static final long PAUSE = Duration.ofSeconds(10).toNanos();
  private static final int THREADS = 2;

  private final Clock clock;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Threads.daemons("background-calls"));
  // Subjects of calls in progress, and of those that ended just now: monotonic nanoseconds of the
  // end, null while one is in progress. Guarded by itself.
  private final Map<String, Long> made = new HashMap<>();

  /** Without calls yet. */
  public BackgroundCalls(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void start() {}

  /** Lets calls in progress end, and makes no more. */
  @Override
  public void stop() {
    threads.shutdown();
  }

  /** Makes a call, unless one with this subject is in progress or has just ended. */
  void make(String subject, Runnable call) {
    if (!begin(subject)) {
      return;
    }
    try {
      threads.execute(() -> run(subject, call));
    } catch (RejectedExecutionException stopping) {
      end(subject);
    }
  }

  private void run(String subject, Runnable call) {
    try {
      call.run();
    } catch (MillraceException refused) {
      LOGGER.info("not done yet, {}: {}", subject, refused.getMessage());
    } finally {
      end(subject);
    }
  }

  private boolean begin(String subject) {
    synchronized (made) {
      long now = clock.nanoTime();
      made.values().removeIf(end -> end != null && now - end >= PAUSE);
      if (made.containsKey(subject)) {
        return false;
      }
      made.put(subject, null);
      return true;
    }
  }

  private void end(String subject) {
    synchronized (made) {
      made.put(subject, clock.nanoTime());
    }
  }
}
