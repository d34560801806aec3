package io.millrace.api.node;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A one-time token for one new machine.
 *
 * @param token to be written to a file on that machine; shown once
 * @param role the role in which it joins
 * @param expiresAt by the database's clock
 */
public record JoinToken(String token, String role, Instant expiresAt) {
  /** Does not show the token. */
  @Override
  public String toString() {
    return "JoinToken[role=%s, expiresAt=%s]".formatted(role, expiresAt);
  }

  /**
   * A new machine's request for an identity, made with a one-time token.
   *
   * @param name the requested name, unique in the cluster
   * @param key the machine's public key (X.509, Base64); it keeps the private one
   * @param id of the machine's data directory, which an earlier identity or version created; null
   *     for a new one
   * @param role in which the machine wants to join: a token for another one is refused and stays
   *     valid; null for the role of the token, as earlier versions send it
   */
  public record JoinRequest(String name, String key, UUID id, String role) {}

  /**
   * Everything that a new machine needs for its role.
   *
   * @param role the role of the one-time token
   * @param name its name
   * @param certificate binds its key to its role, name and id
   * @param publicKey the cluster's public key, PEM
   * @param central the known central managers
   */
  public record JoinAnswer(
      String role, String name, String certificate, String publicKey, List<URI> central) {}

  /**
   * Requests a one-time token with which one new machine can join.
   *
   * @param role execution-node, queue-node or load-balancer
   * @param validFor how long it is valid; null for an hour
   * @param name the only name, or a pattern with {@code *}; null for any
   * @param replace whether the node of this role that has the name, which is no pattern then, loses
   *     it with its identity
   */
  public record JoinTokenRequest(String role, Duration validFor, String name, boolean replace) {
    /** A token for any name that is free. */
    public JoinTokenRequest(String role, Duration validFor) {
      this(role, validFor, null, false);
    }
  }
}
