package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Limits the memory of all bodies held at a time: a request that finds none left waits, first come
 * first served, and is refused after a timeout. A request reserves everything it may need at once,
 * so that requests cannot deadlock. Thread-safe.
 */
public final class MemoryBudget {
  private static final int UNIT = 1 << 10;

  private final int units;
  private final Semaphore free;
  private final Duration timeout;

  /**
   * An unused budget.
   *
   * @param bytes at least 1 KiB
   * @param timeout how long a reservation waits before it is refused
   */
  public MemoryBudget(long bytes, Duration timeout) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
    this.timeout = timeout;
  }

  /** Bytes reserved now. */
  public long reserved() {
    return (long) (units - free.availablePermits()) * UNIT;
  }

  /**
   * Does the work while holding that much memory, at most the budget. Waits for it up to the
   * timeout.
   *
   * @throws MillraceException UNAVAILABLE on timeout, with nothing done
   */
  public <T> T holding(long bytes, Supplier<T> work) {
    int held = (int) Math.min(units, Math.max(1, (bytes + UNIT - 1) / UNIT));
    reserve(held);
    try {
      return work.get();
    } finally {
      free.release(held);
    }
  }

  private void reserve(int bytes) {
    try {
      if (free.tryAcquire(bytes, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this load balancer is stopping; use another one", e);
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "this load balancer has reached its memory limit (bodyMemory); nothing of this"
            + " request was stored: send it again later, or to another load balancer");
  }

  /**
   * The memory for bodies: half for long ones, which may be slow, and half for all others, so that
   * slow uploads never delay single events.
   *
   * @param bodies memory for short bodies and those that are buffered
   * @param streams memory for long bodies
   * @param largestBody the most bytes of a buffered body
   */
  public record BodyMemory(MemoryBudget bodies, MemoryBudget streams, long largestBody) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Splits the given number of bytes and exposes their usage. */
    public static BodyMemory of(long bytes, long largestBody, MeterRegistry metrics) {
      BodyMemory memory =
          new BodyMemory(
              new MemoryBudget(bytes / 2, TIMEOUT),
              new MemoryBudget(bytes / 2, TIMEOUT),
              largestBody);
      metrics.gauge("millrace.balancer.memory.bytes", memory, BodyMemory::reserved);
      return memory;
    }

    private double reserved() {
      return (double) bodies.reserved() + streams.reserved();
    }
  }
}
