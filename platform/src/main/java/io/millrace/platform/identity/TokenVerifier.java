package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.exceptions.JWTVerificationException;
import com.auth0.jwt.interfaces.DecodedJWT;
import com.auth0.jwt.interfaces.JWTVerifier;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.Clock;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Verifies tokens. At most 1,000 verified tokens are cached, so that a signature is not checked at
 * every request. Thread-safe.
 */
public final class TokenVerifier {
  static final String ROLE = "role";
  static final String QUEUE = "queue";
  static final String ATTEMPT = "attempt";

  /**
   * How long a token is accepted after its expiry: a step of a host's clock, typically by an hour,
   * must not lock out a running worker. Expiry limits the damage of a lost token and need not be
   * exact.
   */
  static final Duration LEEWAY = Duration.ofHours(2);

  private static final int REMEMBERED = 1_000;
  private static final int LONGEST = 4_096;

  private final JWTVerifier verifier;
  private final Clock clock;
  // Guarded by itself; the eldest entry goes first.
  private final Map<String, Verified> verified;

  public TokenVerifier(ECPublicKey key, Clock clock) {
    this(key, clock, REMEMBERED);
  }

  TokenVerifier(ECPublicKey key, Clock clock, int remembered) {
    // The library uses this machine's clock only; times are checked below, by the given one.
    this.verifier =
        JWT.require(Algorithm.ECDSA256(key, null)).acceptLeeway(LEEWAY.toSeconds()).build();
    this.clock = clock;
    this.verified =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Verified> eldest) {
            return size() > remembered;
          }
        };
  }

  /** The caller identified by the token; empty if it is not valid or has expired. */
  public Optional<Principal> verify(String token) {
    if (token.length() > LONGEST) {
      return Optional.empty();
    }
    Verified known;
    synchronized (verified) {
      known = verified.get(token);
    }
    if (known == null) {
      known = check(token);
      if (known == null) {
        return Optional.empty();
      }
      synchronized (verified) {
        verified.put(token, known);
      }
    }
    boolean expired =
        known.expiresAt != null && !clock.now().isBefore(known.expiresAt.plus(LEEWAY));
    return expired ? Optional.empty() : Optional.of(known.principal);
  }

  private Verified check(String token) {
    try {
      DecodedJWT decoded = verifier.verify(token);
      Optional<Role> role = Role.of(decoded.getClaim(ROLE).asString());
      if (role.isEmpty()) {
        return null;
      }
      Optional<AttemptId> attempt =
          Optional.ofNullable(decoded.getClaim(ATTEMPT).asString()).map(AttemptId::parse);
      Principal principal =
          new Principal(
              role.get(),
              decoded.getSubject(),
              Optional.ofNullable(decoded.getClaim(QUEUE).asString()),
              attempt);
      return new Verified(principal, decoded.getExpiresAtAsInstant());
    } catch (JWTVerificationException | IllegalArgumentException e) {
      return null;
    }
  }

  private record Verified(Principal principal, Instant expiresAt) {}
}
