package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Bounds the memory of all bodies held at a time: who finds none left waits, first come first
 * served, and is refused after a while. A request reserves all it may need at once, so that
 * requests never wait for one another in a ring. Thread-safe.
 */
public final class MemoryBudget {
  private static final int UNIT = 1 << 10;

  private final int units;
  private final Semaphore free;
  private final Duration patience;

  /**
   * A budget that nobody has touched.
   *
   * @param bytes at least 1 KiB
   * @param patience how long a reservation waits before it is refused
   */
  public MemoryBudget(long bytes, Duration patience) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
    this.patience = patience;
  }

  /** Bytes reserved now. */
  public long reserved() {
    return (long) (units - free.availablePermits()) * UNIT;
  }

  /**
   * Does the work while it holds so much memory; more than there is counts as all there is. Waits
   * for it up to the patience.
   *
   * @throws MillraceException UNAVAILABLE when the time was up, with nothing done
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

  private void reserve(int wanted) {
    try {
      if (free.tryAcquire(wanted, patience.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this load balancer is stopping; ask another one", e);
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "this load balancer holds as many events in memory as it may (bodyMemory); nothing of this"
            + " request is stored: send it again a little later, or to another load balancer");
  }

  /**
   * The memory that bodies may take: half for long ones, which may take their time, and half for
   * all others, so that slow uploads never keep single events waiting.
   *
   * @param bodies of short bodies, and of those that are held whole
   * @param streams of long bodies
   * @param largestBody bytes of a body that is held whole, at the most
   */
  public record BodyMemory(MemoryBudget bodies, MemoryBudget streams, long largestBody) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Splits so many bytes, and shows what is taken of them. */
    public static BodyMemory of(long bytes, long largestBody, MeterRegistry metrics) {
      BodyMemory memory =
          new BodyMemory(
              new MemoryBudget(bytes / 2, PATIENCE),
              new MemoryBudget(bytes / 2, PATIENCE),
              largestBody);
      metrics.gauge("millrace.balancer.memory.bytes", memory, BodyMemory::reserved);
      return memory;
    }

    private double reserved() {
      return (double) bodies.reserved() + streams.reserved();
    }
  }
}
