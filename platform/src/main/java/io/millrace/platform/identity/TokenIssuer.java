package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.JWTCreator;
import com.auth0.jwt.algorithms.Algorithm;
import io.millrace.platform.clock.Clock;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** Signs tokens, and the certificates of nodes (JWT, ES256). Thread-safe. */
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
    principal.run().ifPresent(run -> token.withClaim(TokenVerifier.RUN, run));
    principal
        .attempt()
        .ifPresent(attempt -> token.withClaim(TokenVerifier.ATTEMPT, attempt.toString()));
    // The time of issue bounds how long the token is accepted after its expiry.
    Instant now = clock.now();
    validity.ifPresent(time -> token.withIssuedAt(now).withExpiresAt(now.plus(time)));
    return token.sign(algorithm);
  }

  /**
   * Certifies that a public key is that of a node.
   *
   * @param key the node's public key, for which only the node has the private one
   */
  public String certify(NodeIdentity node, ECPublicKey key) {
    return JWT.create()
        .withHeader(Map.of("typ", TokenVerifier.CERTIFICATE_TYPE))
        .withSubject(node.name())
        .withClaim(TokenVerifier.NODE_ROLE, node.role().label())
        .withClaim(TokenVerifier.NODE_ID, node.id().toString())
        .withClaim(TokenVerifier.NODE_KEY, Base64.getEncoder().encodeToString(key.getEncoded()))
        .sign(algorithm);
  }

  /**
   * Creates a node's credential with a new key. Only for programs that run where the cluster's key
   * is; other machines join.
   */
  public NodeCredential credential(NodeIdentity node) {
    KeyPair pair = KeyFiles.newPair();
    String certificate = certify(node, (ECPublicKey) pair.getPublic());
    return new NodeCredential(node, certificate, (ECPrivateKey) pair.getPrivate());
  }
}
