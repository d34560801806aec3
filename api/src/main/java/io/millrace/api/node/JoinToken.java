package io.millrace.api.node;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A one-use token for one new machine.
 *
 * @param token to be written to a file there; shown once
 * @param role what it joins as
 * @param expiresAt by the database's clock
 */
public record JoinToken(String token, String role, Instant expiresAt) {

  /**
   * A new machine's request for a token of its own, made with a one-use token.
   *
   * @param name the name it wants, unique in the cluster
   */
  public record JoinRequest(String name) {}

  /**
   * All that a new machine needs to take its role.
   *
   * @param role the role that the one-use token was made for
   * @param name the name that it is known by
   * @param token its own token; shown once
   * @param publicKey the cluster's public key, PEM
   * @param central the central managers that are known
   */
  public record JoinAnswer(
      String role, String name, String token, String publicKey, List<URI> central) {}

  /**
   * Asks for a one-use token with which one new machine may join.
   *
   * @param role execution-node, queue-node or load-balancer
   * @param validFor how long it may be used; null for an hour
   */
  public record JoinTokenRequest(String role, Duration validFor) {}
}
