package io.millrace.queuenode.store;

import io.millrace.api.event.RefusalKind;

/**
 * Decides what becomes of an event whose delivery did not end in an acknowledgement. Pure.
 *
 * <p>A failure counts against the event only when the worker had it alone; otherwise it is
 * delivered singly from then on, so that the poison event of a batch stands alone. Lost deliveries
 * count apart, with a limit of their own.
 */
final class Redelivery {
  private Redelivery() {}

  /** The event's standing after the refusal: ready, delayed or dead from {@code now} on. */
  static DeliveryState after(
      DeliveryState leased, RefusalKind kind, long now, long delayMillis, DeliveryLimits limits) {
    DeliveryState charged = charge(leased, kind);
    if (charged.failures() >= limits.maxAttempts() || charged.returns() >= limits.maxReturns()) {
      return charged.in(EventState.DEAD, now, 0);
    }
    return delayMillis > 0
        ? charged.in(EventState.DELAYED, now, delayMillis)
        : charged.in(EventState.READY, now, 0);
  }

  private static DeliveryState charge(DeliveryState leased, RefusalKind kind) {
    if (kind == RefusalKind.EXCUSED) {
      return leased;
    }
    if (kind == RefusalKind.RETURNED) {
      return leased.charged(leased.alone(), leased.failures(), leased.returns() + 1);
    }
    return leased.shared()
        ? leased.charged(true, leased.failures(), leased.returns())
        : leased.charged(true, leased.failures() + 1, leased.returns());
  }
}
