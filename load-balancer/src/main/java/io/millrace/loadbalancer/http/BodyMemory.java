package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.ByteBudget;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Limits the memory of all bodies held at a time: half for long ones, which may be slow, and half
 * for all others, so that slow uploads never delay single events. Thread-safe.
 *
 * @param bodies memory for short bodies and those that are buffered
 * @param streams memory for long bodies
 * @param largestBody the most bytes of a buffered body
 */
public record BodyMemory(ByteBudget bodies, ByteBudget streams, long largestBody) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Splits the given number of bytes and exposes their usage. */
  public static BodyMemory of(long bytes, long largestBody, MeterRegistry metrics) {
    BodyMemory memory =
        new BodyMemory(
            new ByteBudget(bytes / 2, TIMEOUT), new ByteBudget(bytes / 2, TIMEOUT), largestBody);
    Gauge.builder("millrace.balancer.memory.bytes", memory, BodyMemory::reserved)
        .description("memory reserved for bodies, out of bodyMemory")
        .register(metrics);
    return memory;
  }

  /**
   * Does the work while holding that much memory, at most the budget. Waits for it up to the
   * timeout.
   *
   * @throws MillraceException UNAVAILABLE on timeout, with nothing done
   */
  static <T> T holding(ByteBudget budget, long bytes, Supplier<T> work) {
    reserve(budget, bytes);
    try {
      return work.get();
    } finally {
      budget.release(bytes);
    }
  }

  private static void reserve(ByteBudget budget, long bytes) {
    try {
      if (budget.reserve(bytes)) {
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

  private double reserved() {
    return (double) bodies.reserved() + streams.reserved();
  }
}
