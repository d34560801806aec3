package io.millrace.platform.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The claims that all instances share. Implementations are thread-safe; calls block on I/O. */
public interface Claims {

  /**
   * Renews the claimant's own live claim, or else takes one that nobody has or that has expired
   * (G-05, G-06). A take-over, also of one's own lapsed claim, raises the term. One's own claim
   * with more than three quarters of its time left is left as it is, so that who asks often writes
   * seldom.
   *
   * @param ttl until it expires by the database's clock; at least three quarters of it are left
   *     when this returns a claim
   * @return the claim, or empty when another instance holds it
   */
  Optional<Claim> acquireOrRenew(String resource, String claimant, Duration ttl);

  /** Lets a claim expire now; does nothing when the claimant doesn't hold it. */
  void release(String resource, String claimant);

  /** All claims ever taken, by resource. */
  List<ClaimState> list();

  /**
   * A claim as the database has it, for display.
   *
   * @param expiresAt by the database's clock
   * @param live whether it had not expired when it was read
   */
  record ClaimState(Claim claim, Instant expiresAt, boolean live) {}
}
