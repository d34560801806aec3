package io.millrace.platform.lifecycle;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits the bytes that are held at a time, in units of 1 KiB: a reservation that finds no space
 * waits, first come first served, up to a timeout. What a caller needs is reserved at once, so that
 * callers cannot deadlock. Thread-safe.
 */
public final class ByteBudget {
  private static final int UNIT = 1 << 10;

  private final int units;
  private final Semaphore free;
  private final Duration timeout;

  /**
   * An unused budget.
   *
   * @param bytes at least 1 KiB
   * @param timeout how long a reservation waits
   */
  public ByteBudget(long bytes, Duration timeout) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
    this.timeout = timeout;
  }

  /** Bytes that can be reserved. */
  public long size() {
    return (long) units * UNIT;
  }

  /** Bytes reserved now. */
  public long reserved() {
    return (long) (units - free.availablePermits()) * UNIT;
  }

  /** Reserves the bytes, at least one unit and at most the budget; false on timeout. */
  public boolean reserve(long bytes) throws InterruptedException {
    return free.tryAcquire(unitsFor(bytes), timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns what was reserved for that many bytes. */
  public void release(long bytes) {
    free.release(unitsFor(bytes));
  }

  // At most everything, so that even the largest request is admitted if it is the only one.
  private int unitsFor(long bytes) {
    return (int) Math.min(units, Math.max(1, bytes / UNIT + (bytes % UNIT == 0 ? 0 : 1)));
  }
}
