package io.millrace.tests.drill.ledger;

/**
 * One delivery of an event as seen by its consumer. Times are nanoseconds of the drill's own
 * monotonic clock. Written by the consumer's thread only.
 */
public final class Delivery {
  private final String queue;
  private final String node;
  private final String id;
  private final long received;
  private volatile long validUntil;
  private volatile DeliveryEnd ending = DeliveryEnd.NONE;
  private volatile long endAsked = Long.MAX_VALUE;

  /**
   * A delivery with a current lease.
   *
   * @param asked when the lease was requested, never later than its start
   * @param lease its length
   */
  public Delivery(String queue, String node, String id, long asked, long received, long lease) {
    this.queue = queue;
    this.node = node;
    this.id = id;
    this.received = received;
    this.validUntil = asked + lease;
  }

  public String queue() {
    return queue;
  }

  public String node() {
    return node;
  }

  public String id() {
    return id;
  }

  long received() {
    return received;
  }

  DeliveryEnd ending() {
    return ending;
  }

  /** When the consumer began to end it; far in the future if it did not. */
  long endAsked() {
    return endAsked;
  }

  /** The time until which this consumer certainly holds the event. */
  long certainlyHeldUntil() {
    return Math.min(validUntil, endAsked);
  }

  /** Records a confirmed extension that was requested at that time. */
  public void extended(long asked, long lease) {
    validUntil = Math.max(validUntil, asked + lease);
  }

  /** Records that the consumer is about to end it: from now on the lease may be over. */
  public void ending(long now) {
    endAsked = now;
  }

  /** Records how it was ended. */
  public void ended(DeliveryEnd how) {
    ending = how;
  }
}
