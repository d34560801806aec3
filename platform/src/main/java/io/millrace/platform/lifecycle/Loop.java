package io.millrace.platform.lifecycle;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One named daemon thread that runs a task, waits the interval, and runs it again (fixed delay; the
 * first run is at once).
 *
 * <p>A failing task does not end the loop: the first of consecutive failures is logged, with its
 * stack trace unless its message explains it, and the recovery with their number. Thread-safe.
 */
public final class Loop implements Service {

  /** What a loop repeats. */
  @FunctionalInterface
  public interface Task {
    /** One run; may throw anything, and should end soon if its thread is interrupted. */
    void run() throws Exception;
  }

  private static final Logger LOGGER = LoggerFactory.getLogger(Loop.class);
  private static final Duration DEFAULT_STOP_WITHIN = Duration.ofSeconds(10);

  private final String name;
  private final Duration interval;
  private final Duration stopWithin;
  private final Task task;
  private final Waiter waiter = new Waiter();
  private volatile boolean stopping;
  // Guarded by this.
  private Thread thread;
  // Used only by the loop's thread.
  private long failures;

  /** A loop that has ten seconds to stop. */
  public Loop(String name, Duration interval, Task task) {
    this(name, interval, DEFAULT_STOP_WITHIN, task);
  }

  /**
   * A loop that has not started.
   *
   * @param name the thread's name
   * @param interval the pause between the end of a run and the start of the next
   * @param stopWithin how long {@link #stop()} waits for the current run to end
   */
  public Loop(String name, Duration interval, Duration stopWithin, Task task) {
    this.name = name;
    this.interval = interval;
    this.stopWithin = stopWithin;
    this.task = task;
  }

  @Override
  public synchronized void start() {
    if (thread != null || stopping) {
      throw new IllegalStateException("loop " + name + " was already started or stopped");
    }
    thread = Threads.daemon(name, this::repeat);
    thread.start();
  }

  /**
   * Runs the task now, or once more right after the current run. Calls during one run count as one.
   */
  public void wake() {
    waiter.wake();
  }

  /** Interrupts the current run and waits for it within the bound; logs if it does not end. */
  @Override
  public void stop() {
    Thread running;
    synchronized (this) {
      stopping = true;
      running = thread;
    }
    waiter.wake();
    if (running == null || running.equals(Thread.currentThread())) {
      return;
    }
    running.interrupt();
    try {
      running.join(Math.max(1, stopWithin.toMillis()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (running.isAlive()) {
      LOGGER.warn("loop {} has not ended {} after it was stopped", name, stopWithin);
    }
  }

  private void repeat() {
    while (!stopping) {
      runOnce();
      pause();
    }
  }

  private void pause() {
    try {
      waiter.await(interval);
    } catch (InterruptedException interrupted) {
      // Either stop() or a stray interrupt meant for the task; the loop's condition decides which.
      LOGGER.debug("loop {} was interrupted while waiting", name);
    }
  }

  // Errors are caught too: a loop that ends silently would be worse than one that logs failures.
  private void runOnce() {
    try {
      task.run();
      if (failures > 0) {
        LOGGER.info("loop {} recovered after {} failed runs", name, failures);
        failures = 0;
      }
    } catch (Throwable failure) {
      if (stopping) {
        LOGGER.debug("loop {} was interrupted by its stop", name, failure);
        return;
      }
      failures++;
      if (failures == 1) {
        warn(failure);
      }
    }
  }

  private void warn(Throwable failure) {
    if (failure instanceof MillraceException worded && worded.code() != ErrorCode.INTERNAL) {
      // Its message says what happened and what to do; where it was thrown helps nobody.
      LOGGER.warn(
          "{} failed: {}; further failures are not logged until it succeeds",
          name,
          worded.getMessage());
      LOGGER.debug("failure of loop {}", name, failure);
    } else {
      LOGGER.warn(
          "loop {} failed; further failures are not logged until it recovers", name, failure);
    }
  }
}
