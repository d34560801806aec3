package io.millrace.platform.claim;

import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that only one instance does at a time: at each interval it renews or takes its claim and, if
 * it holds it, runs the duty once.
 *
 * <p>A duty that may take longer than the claim is valid must use short transactions and lock the
 * claim in each. The claim is released on stop, so that another instance need not wait for its
 * expiry.
 */
public final class ClaimedDuty implements Service {

  /** The work done while the claim is held. */
  @FunctionalInterface
  public interface Duty {
    /** One run, under the claim just renewed or taken. */
    void run(Claim claim) throws Exception;

    /**
     * One observation, made whether or not the claim is held, and before the run if there is one.
     * An instance that takes the duty over has therefore been observing for some time.
     */
    default void observe() throws Exception {}
  }

  private static final Logger LOGGER = LoggerFactory.getLogger(ClaimedDuty.class);

  private final String resource;
  private final String claimant;
  private final Duration ttl;
  private final ClaimDao claims;
  private final Duty duty;
  private final Loop loop;

  /**
   * A duty that has not started.
   *
   * @param resource what is claimed; also names the thread
   * @param claimant this instance's id, unique to this run of the process (G-02)
   * @param ttl of the claim; several times the interval, so that one slow run does not lose it
   */
  public ClaimedDuty(
      String resource,
      String claimant,
      Duration ttl,
      Duration interval,
      ClaimDao claims,
      Duty duty) {
    if (ttl.compareTo(interval) <= 0) {
      throw new IllegalArgumentException(
          "the claim " + resource + " lasts " + ttl + ", not longer than its interval " + interval);
    }
    this.resource = resource;
    this.claimant = claimant;
    this.ttl = ttl;
    this.claims = claims;
    this.duty = duty;
    this.loop = new Loop("duty-" + resource, interval, this::runIfHeld);
  }

  @Override
  public void start() {
    loop.start();
  }

  /** Makes the next run happen immediately; an optimisation that correctness does not depend on. */
  public void wake() {
    loop.wake();
  }

  @Override
  public void stop() {
    loop.stop();
    try {
      claims.release(resource, claimant);
    } catch (RuntimeException failure) {
      LOGGER.info(
          "the claim {} could not be released and will expire: {}", resource, failure.getMessage());
    }
  }

  private void runIfHeld() throws Exception {
    duty.observe();
    Optional<Claim> claim = claims.acquireOrRenew(resource, claimant, ttl);
    if (claim.isPresent()) {
      duty.run(claim.get());
    }
  }
}
