package io.millrace.api.node;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A one-time token for one new machine.
 *
 * @param token to be written to a file on that machine; shown once
 * @param role the role in which it joins
 * @param expiresAt by the database's clock
 */
public record JoinToken(String token, String role, Instant expiresAt) {

  /**
   * A new machine's request for a permanent token, made with a one-time token.
   *
   * @param name the requested name, unique in the cluster
   */
  public record JoinRequest(String name) {}

  /**
   * Everything that a new machine needs for its role.
   *
   * @param role the role of the one-time token
   * @param name its name
   * @param token its permanent token; shown once
   * @param publicKey the cluster's public key, PEM
   * @param central the known central managers
   */
  public record JoinAnswer(
      String role, String name, String token, String publicKey, List<URI> central) {}

  /**
   * Requests a one-time token with which one new machine can join.
   *
   * @param role execution-node, queue-node or load-balancer
   * @param validFor how long it is valid; null for an hour
   */
  public record JoinTokenRequest(String role, Duration validFor) {}
}
