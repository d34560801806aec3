package io.millrace.tests.drill.ledger;

/** How a consumer ended a delivery, as far as it knows. */
public enum DeliveryEnd {
  /** It has said nothing (yet): the lease expires. */
  NONE,
  /** The node has confirmed the acknowledgement. */
  ACKNOWLEDGED,
  /** The acknowledgement was sent and not answered. */
  ACKNOWLEDGED_PERHAPS,
  /** The event was given back, or the giving back was sent and not answered. */
  GIVEN_BACK,
  /** The node has answered that the lease had ended before. */
  TOO_LATE;

  /** Whether the event may be done with. */
  boolean settles() {
    return this == ACKNOWLEDGED || this == ACKNOWLEDGED_PERHAPS;
  }
}
