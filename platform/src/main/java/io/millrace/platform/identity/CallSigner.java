package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.JWTCreator;
import com.auth0.jwt.algorithms.Algorithm;
import java.net.URI;
import java.security.interfaces.ECPrivateKey;
import java.util.Map;

/**
 * Signs the tokens of single calls between servers: each names the receiver, the method and the
 * path with its query, and is accepted for a minute after the receiver issued its nonce. A receiver
 * can therefore use it nowhere else. The body is not signed: whoever reads a token on the way can
 * for that minute make the same call with any body. Thread-safe.
 */
public final class CallSigner {
  static final String CERTIFICATE = "crt";
  static final String METHOD = "htm";
  static final String PATH = "htu";
  static final String NONCE = "nonce";
  static final String TYPE = "millrace-call";

  private final Algorithm algorithm;
  private final Map<String, Object> header;

  private CallSigner(ECPrivateKey key, Map<String, Object> header) {
    this.algorithm = Algorithm.ECDSA256(null, key);
    this.header = header;
  }

  /** Of a node, whose calls are made in its own name only. */
  public static CallSigner of(NodeCredential node) {
    return new CallSigner(node.key(), Map.of("typ", TYPE, CERTIFICATE, node.certificate()));
  }

  /** Of a central manager, which calls in the name of those whose requests it serves. */
  public static CallSigner ofCentralManager(ECPrivateKey clusterKey) {
    return new CallSigner(clusterKey, Map.of("typ", TYPE));
  }

  /**
   * What is signed.
   *
   * @param audience the receiver
   * @param method the method
   * @param path with the query, as in {@link #path}
   * @param nonce issued by the receiver
   */
  public record CallClaims(String audience, String method, String path, String nonce) {}

  /** What of an address is signed: the path and the query as they are sent. */
  public static String path(URI uri) {
    return path(uri.getRawPath(), uri.getRawQuery());
  }

  /**
   * What of a request is signed.
   *
   * @param query null for none
   */
  public static String path(String path, String query) {
    return query == null || query.isEmpty() ? path : path + "?" + query;
  }

  /** The token of a call in the name of the caller. */
  public String sign(CallClaims call, Principal caller) {
    JWTCreator.Builder token =
        JWT.create()
            .withHeader(header)
            .withAudience(call.audience())
            .withSubject(caller.subject())
            .withClaim(TokenVerifier.ROLE, caller.role().label())
            .withClaim(METHOD, call.method())
            .withClaim(PATH, call.path())
            .withClaim(NONCE, call.nonce());
    return token.sign(algorithm);
  }
}
