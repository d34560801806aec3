package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.exceptions.JWTVerificationException;
import com.auth0.jwt.interfaces.DecodedJWT;
import com.auth0.jwt.interfaces.JWTVerifier;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.Clock;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/**
 * Verifies tokens. At most 1,000 verified tokens are cached, so that a signature is not checked at
 * every request. Thread-safe.
 */
public final class TokenVerifier {
  static final String ROLE = "role";
  static final String QUEUE = "queue";
  static final String RUN = "run";
  static final String ATTEMPT = "attempt";
  static final String NODE_ROLE = "nodeRole";
  static final String NODE_ID = "nodeId";
  static final String NODE_KEY = "nodeKey";
  static final String CERTIFICATE_TYPE = "millrace-node";

  /**
   * How long a token is accepted after its expiry, but never longer than it was valid: a step of a
   * host's clock, typically by an hour, must not lock out a running worker.
   */
  public static final Duration LEEWAY = Duration.ofHours(2);

  private static final int REMEMBERED = 1_000;
  private static final int LONGEST = 4_096;

  private final JWTVerifier verifier;
  private final Clock clock;
  private final CallVerifier calls;
  private final BoundedCache<String, Verified> verified;

  /**
   * Verifies tokens of users and workers, and calls of other servers.
   *
   * @param audience this server, as other servers call it
   */
  public TokenVerifier(ECPublicKey key, Clock clock, String audience) {
    this(key, clock, audience, REMEMBERED);
  }

  TokenVerifier(ECPublicKey key, Clock clock, String audience, int remembered) {
    this.verifier =
        JWT.require(Algorithm.ECDSA256(key, null))
            // The library uses this machine's clock; times are checked below, by the given one.
            .acceptExpiresAt(Duration.ofDays(36_500).toSeconds())
            .ignoreIssuedAt()
            .build();
    this.clock = clock;
    this.calls = new CallVerifier(key, clock, audience);
    this.verified = new BoundedCache<>(remembered);
  }

  /** Verifies the calls of other servers. */
  public CallVerifier calls() {
    return calls;
  }

  /** The caller identified by the token; empty if it is not valid or has expired. */
  public Optional<Principal> verify(String token) {
    return known(token).filter(one -> !one.hasExpired(clock.now())).map(Verified::principal);
  }

  /** How long ago a token that is no longer accepted expired; empty for any other token. */
  public Optional<Duration> expired(String token) {
    Instant now = clock.now();
    return known(token)
        .filter(one -> one.hasExpired(now))
        .map(one -> Duration.between(one.expiresAt, now));
  }

  private Optional<Verified> known(String token) {
    if (token.length() > LONGEST) {
      return Optional.empty();
    }
    Optional<Verified> known = verified.get(token);
    if (known.isEmpty()) {
      known = check(token);
      known.ifPresent(one -> verified.put(token, one));
    }
    return known;
  }

  private Optional<Verified> check(String token) {
    try {
      DecodedJWT decoded = verifier.verify(token);
      Optional<Role> role =
          Optional.ofNullable(decoded.getClaim(ROLE).asString()).flatMap(Role::of);
      // A server signs its calls itself; a node's certificate and those calls are no bearer tokens.
      boolean bearer = "JWT".equals(decoded.getType()) && decoded.getAudience() == null;
      if (!bearer || role.isEmpty() || role.get().isServer()) {
        return Optional.empty();
      }
      Optional<AttemptId> attempt =
          Optional.ofNullable(decoded.getClaim(ATTEMPT).asString()).map(AttemptId::parse);
      Principal principal =
          new Principal(
              role.get(),
              decoded.getSubject(),
              Optional.ofNullable(decoded.getClaim(QUEUE).asString()),
              Optional.ofNullable(decoded.getClaim(RUN).asLong()),
              attempt,
              Optional.empty());
      return Optional.of(
          new Verified(principal, decoded.getIssuedAtAsInstant(), decoded.getExpiresAtAsInstant()));
    } catch (JWTVerificationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The node that a certificate describes; empty if the cluster did not issue it. */
  static Optional<Certificate> certificate(String text, ECPublicKey cluster) {
    try {
      DecodedJWT decoded = JWT.require(Algorithm.ECDSA256(cluster, null)).build().verify(text);
      Optional<Role> role =
          Optional.ofNullable(decoded.getClaim(NODE_ROLE).asString()).flatMap(Role::of);
      if (!CERTIFICATE_TYPE.equals(decoded.getType()) || role.isEmpty()) {
        return Optional.empty();
      }
      UUID id = UUID.fromString(String.valueOf(decoded.getClaim(NODE_ID).asString()));
      byte[] key =
          Base64.getDecoder().decode(String.valueOf(decoded.getClaim(NODE_KEY).asString()));
      NodeIdentity identity = new NodeIdentity(role.get(), decoded.getSubject(), id);
      return Optional.of(new Certificate(identity, KeyFiles.publicKey(key)));
    } catch (JWTVerificationException | IllegalArgumentException | MillraceException e) {
      return Optional.empty();
    }
  }

  /**
   * A node's identity and the public key that proves it.
   *
   * @param identity what the node is
   * @param key verifies the node's signatures
   */
  record Certificate(NodeIdentity identity, ECPublicKey key) {}

  private record Verified(Principal principal, Instant issuedAt, Instant expiresAt) {
    boolean hasExpired(Instant now) {
      return expiresAt != null && !now.isBefore(expiresAt.plus(leeway()));
    }

    private Duration leeway() {
      if (issuedAt == null) {
        return Duration.ZERO;
      }
      Duration life = Duration.between(issuedAt, expiresAt);
      return life.compareTo(LEEWAY) < 0 ? life : LEEWAY;
    }
  }
}
