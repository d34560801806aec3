package io.millrace.tests.drill.ledger;

/** Why an event was delivered more than once. */
public enum RedeliveryCause {
  /** Its lease had expired: the consumer abandoned it or was too late. */
  LEASE_EXPIRED("lease expired", true),
  /** Its consumer returned it. */
  GIVEN_BACK("returned", true),
  /** Its acknowledgement was not answered and had not arrived. */
  ACKNOWLEDGEMENT_UNKNOWN("ack unknown", true),
  /** It was acknowledged, and its node was killed before that was on disk. */
  ACKNOWLEDGEMENT_LOST("ack lost in kill", true),
  /** Stored on two nodes: the producer repeated a batch of unknown outcome. */
  REPEATED_BY_PRODUCER("batch repeated", true),
  /** Stored on two nodes: the load balancer sent a batch of unknown outcome to another node. */
  REPEATED_BY_BALANCER("other node tried", true),
  /** Delivered although the lease had not ended. */
  LEASE_BROKEN("LEASE BROKEN", false),
  /** Delivered after a confirmed acknowledgement although no node was killed. */
  UNEXPLAINED("UNEXPLAINED", false);

  private final String words;
  private final boolean allowed;

  RedeliveryCause(String words, boolean allowed) {
    this.words = words;
    this.allowed = allowed;
  }

  public String words() {
    return words;
  }

  /** Whether at-least-once delivery allows it. */
  public boolean allowed() {
    return allowed;
  }
}
