package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A fault with its times.
 *
 * @param fault what
 * @param after from the begin of the round
 * @param lasts until it is mended
 */
public record PlannedFault(Fault fault, Duration after, Duration lasts) {
  /** Draws random times; it begins within that time. */
  public static PlannedFault of(Fault fault, Duration within, RandomGenerator random) {
    long span = fault.longest().minus(fault.shortest()).toMillis();
    return new PlannedFault(
        fault,
        Duration.ofMillis(random.nextLong(within.toMillis())),
        fault.shortest().plusMillis(random.nextLong(span)));
  }

  @Override
  public String toString() {
    return "%s at %.1fs for %.1fs".formatted(fault, after.toMillis() / 1e3, lasts.toMillis() / 1e3);
  }
}
