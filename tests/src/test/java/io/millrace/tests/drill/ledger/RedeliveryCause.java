package io.millrace.tests.drill.ledger;

/** Why an event was delivered more than once. */
public enum RedeliveryCause {
  /** Its lease had expired: the consumer abandoned it, or came too late. */
  LEASE_EXPIRED("lease expired", true),
  /** Its consumer gave it back. */
  GIVEN_BACK("given back", true),
  /** Its acknowledgement was not answered, and had not arrived. */
  ACKNOWLEDGEMENT_UNKNOWN("ack unknown", true),
  /** It was acknowledged, and its node killed before that was on the disk. */
  ACKNOWLEDGEMENT_LOST("ack lost in kill", true),
  /** Stored on two nodes: the producer had repeated a batch of unknown outcome. */
  REPEATED_BY_PRODUCER("batch repeated", true),
  /** Stored on two nodes: the balancer had an unknown outcome and went elsewhere. */
  REPEATED_BY_BALANCER("balancer detour", true),
  /** Delivered although nothing had ended the lease. */
  LEASE_BROKEN("LEASE BROKEN", false),
  /** Delivered after a confirmed acknowledgement, and nobody was killed. */
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

  /** Whether delivery at least once allows it. */
  public boolean allowed() {
    return allowed;
  }
}
