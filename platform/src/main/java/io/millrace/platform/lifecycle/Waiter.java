package io.millrace.platform.lifecycle;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for a time or until woken, whichever comes first; the only wait and notify of the platform.
 *
 * <p>A wake-up while no thread waits is kept for the next wait, so none is lost; several count as
 * one. Thread-safe; with more than one waiting thread a wake-up reaches one of them.
 */
public final class Waiter {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean woken;

  /**
   * Blocks the calling thread.
   *
   * @param timeout the longest wait, on the monotonic clock; zero or less does not wait
   * @return true if woken, false on timeout
   */
  public boolean await(Duration timeout) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long remaining = timeout.toNanos();
      while (!woken && remaining > 0) {
        remaining = changed.awaitNanos(remaining);
      }
      boolean result = woken;
      woken = false;
      return result;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current wait, or the next one if no thread is waiting. Never blocks for long. */
  public void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }
}
