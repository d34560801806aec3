package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import io.millrace.api.node.RequestNumber;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Signs a node's reports to the cluster view, which anybody who reaches its port could write. Each
 * report names its topic, its node and a number above those of all earlier ones. Thread-safe.
 */
public final class ReportSigner {
  static final String TYPE = "millrace-report";
  static final String INCARNATION = "inc";
  static final String SEQUENCE = "seq";
  static final String CONTENT = "rep";

  private final String name;
  private final Algorithm algorithm;
  private final Map<String, Object> header;
  private final Supplier<RequestNumber> numbers;

  /**
   * A signer of one node.
   *
   * @param numbers rise with each call, and with each start of the node
   */
  public ReportSigner(NodeCredential node, Supplier<RequestNumber> numbers) {
    this.name = node.identity().name();
    this.algorithm = Algorithm.ECDSA256(null, node.key());
    this.header = Map.of("typ", TYPE, CallSigner.CERTIFICATE, node.certificate());
    this.numbers = numbers;
  }

  /** The node, which signs only for itself. */
  public String name() {
    return name;
  }

  /** The signed report; an empty one withdraws what was published before. */
  public String sign(String topic, String json) {
    RequestNumber number = numbers.get();
    return JWT.create()
        .withHeader(header)
        .withAudience(topic)
        .withSubject(name)
        .withClaim(INCARNATION, number.incarnation())
        .withClaim(SEQUENCE, number.sequence())
        .withClaim(CONTENT, json)
        .sign(algorithm);
  }
}
