package io.millrace.tests.drill.ledger;

/** How a consumer ended a delivery, as far as the consumer knows. */
public enum DeliveryEnd {
  /** Not ended (yet): the lease expires. */
  NONE,
  /** The node has confirmed the acknowledgement. */
  ACKNOWLEDGED,
  /** The acknowledgement was sent and not answered. */
  ACKNOWLEDGED_PERHAPS,
  /** The event was returned, or the return was sent and not answered. */
  GIVEN_BACK,
  /** The node has answered that the lease had already ended. */
  TOO_LATE;

  /** Whether the event may have been acknowledged. */
  boolean settles() {
    return this == ACKNOWLEDGED || this == ACKNOWLEDGED_PERHAPS;
  }
}
