package io.millrace.platform.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The claims that all instances share. Implementations are thread-safe; calls block on I/O. */
public interface Claims {

  /**
   * Renews the claimant's live claim, or takes one that is free or has expired (G-05, G-06). Taking
   * it, even after one's own claim expired, raises the term. A claim with more than three quarters
   * of its time left is not renewed, so that frequent calls rarely write.
   *
   * @param ttl until it expires by the database's clock; at least three quarters of it are left
   *     when this returns a claim
   * @return the claim, or empty if another instance holds it
   */
  Optional<Claim> acquireOrRenew(String resource, String claimant, Duration ttl);

  /** Lets a claim expire now; does nothing if the claimant does not hold it. */
  void release(String resource, String claimant);

  /** All claims ever taken, by resource. */
  List<ClaimState> list();

  /**
   * A claim as stored, for display.
   *
   * @param expiresAt by the database's clock
   * @param live whether it had not expired when it was read
   */
  record ClaimState(Claim claim, Instant expiresAt, boolean live) {}
}
