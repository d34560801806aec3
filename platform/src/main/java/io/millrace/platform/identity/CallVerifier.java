package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.exceptions.JWTVerificationException;
import com.auth0.jwt.interfaces.DecodedJWT;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.TokenVerifier.Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Verifies the tokens of single calls (see {@link CallSigner}): the signature, the certificate of a
 * node that signed it, the audience, the method, the path with its query, and the age of the nonce.
 * What was verified once is cached, within bounds. Thread-safe; never blocks.
 */
public final class CallVerifier {
  private static final int REMEMBERED_CALLS = 5_000;
  private static final int REMEMBERED_CERTIFICATES = 1_000;
  private static final int LONGEST = 8_192;

  private final ECPublicKey cluster;
  private final String audience;
  private final CallNonces nonces;
  private final BoundedCache<String, VerifiedCall> calls = new BoundedCache<>(REMEMBERED_CALLS);
  private final BoundedCache<String, Certificate> certificates =
      new BoundedCache<>(REMEMBERED_CERTIFICATES);

  CallVerifier(ECPublicKey cluster, Clock clock, String audience) {
    this.cluster = cluster;
    this.audience = audience;
    this.nonces = new CallNonces(clock);
  }

  /** A nonce for a caller, accepted for a minute. */
  public String nonce() {
    return nonces.issue();
  }

  /**
   * The caller; empty if the token is not valid for this call of this server, or too old.
   *
   * @param path with the query, as in {@link CallSigner#path}
   */
  public Optional<Principal> verify(String token, String method, String path) {
    if (token.length() > LONGEST) {
      return Optional.empty();
    }
    Optional<VerifiedCall> call = calls.get(token).or(() -> check(token));
    return call.filter(one -> one.method.equals(method) && one.path.equals(path))
        .filter(one -> nonces.accepts(one.issuedAt))
        .map(VerifiedCall::caller);
  }

  private Optional<VerifiedCall> check(String token) {
    try {
      DecodedJWT decoded = JWT.decode(token);
      if (!CallSigner.TYPE.equals(decoded.getType()) || !isForThisServer(decoded)) {
        return Optional.empty();
      }
      OptionalLong issuedAt = nonces.issuedAt(text(decoded, CallSigner.NONCE));
      if (issuedAt.isEmpty()) {
        return Optional.empty();
      }
      Optional<Principal> caller = caller(token, decoded);
      caller.ifPresent(
          one ->
              calls.put(
                  token,
                  new VerifiedCall(
                      one,
                      text(decoded, CallSigner.METHOD),
                      text(decoded, CallSigner.PATH),
                      issuedAt.getAsLong())));
      return calls.get(token);
    } catch (JWTVerificationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private boolean isForThisServer(DecodedJWT decoded) {
    return decoded.getAudience() != null
        && decoded.getAudience().size() == 1
        && decoded.getAudience().get(0).equals(audience);
  }

  /** Signed by a node, in its own name; or by a central manager, in the name of anybody. */
  private Optional<Principal> caller(String token, DecodedJWT decoded) {
    String certificate = decoded.getHeaderClaim(CallSigner.CERTIFICATE).asString();
    Role role = Role.of(text(decoded, TokenVerifier.ROLE)).orElse(null);
    if (certificate == null) {
      requireSignature(token, cluster);
      // A node has its own key, and a worker its own token.
      boolean allowed = role != null && !role.isNode() && !role.isAttempt();
      return allowed ? Optional.of(Principal.of(role, decoded.getSubject())) : Optional.empty();
    }
    Optional<Certificate> holder = certificate(certificate);
    holder.ifPresent(one -> requireSignature(token, one.key()));
    return holder
        .map(Certificate::identity)
        .filter(one -> one.role() == role && one.name().equals(decoded.getSubject()))
        .map(Principal::of);
  }

  private Optional<Certificate> certificate(String text) {
    Optional<Certificate> known = certificates.get(text);
    if (known.isPresent()) {
      return known;
    }
    Optional<Certificate> checked = TokenVerifier.certificate(text, cluster);
    checked.ifPresent(one -> certificates.put(text, one));
    return checked;
  }

  private static void requireSignature(String token, ECPublicKey key) {
    // The key decides about the algorithm, never the token.
    JWT.require(Algorithm.ECDSA256(key, null)).build().verify(token);
  }

  private static String text(DecodedJWT decoded, String claim) {
    String text = decoded.getClaim(claim).asString();
    if (text == null) {
      throw new IllegalArgumentException(claim + " is missing");
    }
    return text;
  }

  private record VerifiedCall(Principal caller, String method, String path, long issuedAt) {}
}
