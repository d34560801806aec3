package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.JWTCreator;
import com.auth0.jwt.algorithms.Algorithm;
import io.millrace.platform.clock.Clock;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.Optional;

/** Signs tokens (JWT, ES256). Thread-safe. */
public final class TokenIssuer {
  private final Algorithm algorithm;
  private final Clock clock;

  public TokenIssuer(ECPrivateKey key, Clock clock) {
    this.algorithm = Algorithm.ECDSA256(null, key);
    this.clock = clock;
  }

  /**
   * Issues a token.
   *
   * @param validity its validity; empty for unlimited
   */
  public String issue(Principal principal, Optional<Duration> validity) {
    JWTCreator.Builder token =
        JWT.create()
            .withSubject(principal.subject())
            .withClaim(TokenVerifier.ROLE, principal.role().label());
    principal.queue().ifPresent(queue -> token.withClaim(TokenVerifier.QUEUE, queue));
    principal
        .attempt()
        .ifPresent(attempt -> token.withClaim(TokenVerifier.ATTEMPT, attempt.toString()));
    validity.ifPresent(duration -> token.withExpiresAt(clock.now().plus(duration)));
    return token.sign(algorithm);
  }
}
