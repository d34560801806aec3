package io.millrace.queuenode.segment;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes those who wait for events of one queue: a ring for n events wakes at most n of them.
 * Thread-safe.
 */
final class Bell {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rung = lock.newCondition();
  private long rings;
  private boolean closed;

  /** What to give to {@link #await}, read before looking for events. */
  long rings() {
    lock.lock();
    try {
      return rings;
    } finally {
      lock.unlock();
    }
  }

  void ring(int events) {
    lock.lock();
    try {
      rings += events;
      for (int i = 0; i < events && lock.hasWaiters(rung); i++) {
        rung.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a ring after the one seen.
   *
   * @return whether it is worth looking again; false when the time is up or the node stops
   */
  boolean await(long seen, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long rest = atMost.toNanos();
      if (rest <= 0) {
        return false;
      }
      while (!closed && rings == seen && rest > 0) {
        rest = rung.awaitNanos(rest);
      }
      return !closed && rings != seen;
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      rung.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
