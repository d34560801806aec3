package io.millrace.tests.drill.cluster;

import java.time.Duration;

/**
 * A fault with its times.
 *
 * @param fault the fault
 * @param after time from the start of the round to the fault
 * @param lasts time until it is removed
 */
public record PlannedFault(Fault fault, Duration after, Duration lasts) {
  @Override
  public String toString() {
    return "%s at %.1fs for %.1fs".formatted(fault, after.toMillis() / 1e3, lasts.toMillis() / 1e3);
  }
}
