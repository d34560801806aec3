package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/**
 * The memory that bodies may take: half for long ones, which may take their time, and half for all
 * others, so that slow uploads never keep single events waiting.
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
