package io.millrace.tests.drill.cluster;

import java.time.Duration;

/**
 * A fault with its times.
 *
 * @param fault what
 * @param after from the begin of the round
 * @param lasts until it is mended
 */
public record PlannedFault(Fault fault, Duration after, Duration lasts) {
  @Override
  public String toString() {
    return "%s at %.1fs for %.1fs".formatted(fault, after.toMillis() / 1e3, lasts.toMillis() / 1e3);
  }
}
