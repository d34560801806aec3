package io.millrace.platform.identity;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.exceptions.JWTVerificationException;
import com.auth0.jwt.interfaces.DecodedJWT;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.identity.TokenVerifier.Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Verifies the reports of queue nodes (see {@link ReportSigner}): the certificate of this cluster,
 * the signature, the topic and the size. Certificates are cached, within bounds. Thread-safe; never
 * blocks.
 */
public final class ReportVerifier {
  /** Enough for thousands of segments. */
  static final int LONGEST = 2 << 20;

  private static final int LONGEST_CERTIFICATE = 8_192;
  private static final int REMEMBERED = 1_000;
  private static final int NAME_LETTERS = 16;

  private final ECPublicKey cluster;
  private final Predicate<UUID> withdrawn;
  private final BoundedCache<String, Certificate> certificates = new BoundedCache<>(REMEMBERED);

  /**
   * A verifier for one process.
   *
   * @param cluster the cluster's key
   * @param withdrawn whether the identity with the ID was withdrawn; thread-safe, never blocks
   */
  public ReportVerifier(ECPublicKey cluster, Predicate<UUID> withdrawn) {
    this.cluster = cluster;
    this.withdrawn = withdrawn;
  }

  /**
   * A name for this cluster's members, derived from its key: clusters on one network have different
   * ones.
   */
  public String clusterName() {
    return "millrace-" + Sha256.of(cluster.getEncoded()).substring(0, NAME_LETTERS);
  }

  /**
   * A report as its node has signed it.
   *
   * @param node the ID of the node, as certified
   * @param name of the node, as certified
   * @param number above those of the node's earlier reports
   * @param json the report; empty to withdraw the last one
   */
  public record VerifiedReport(UUID node, String name, RequestNumber number, String json) {}

  /**
   * The report; empty if no queue node of this cluster signed it for this topic, or the identity of
   * the node was withdrawn.
   */
  public Optional<VerifiedReport> verify(String topic, String text) {
    if (text.length() > LONGEST) {
      return Optional.empty();
    }
    try {
      DecodedJWT decoded = JWT.decode(text);
      String certificate = decoded.getHeaderClaim(CallSigner.CERTIFICATE).asString();
      boolean meant =
          ReportSigner.TYPE.equals(decoded.getType())
              && List.of(topic).equals(decoded.getAudience());
      if (!meant || certificate == null || certificate.length() > LONGEST_CERTIFICATE) {
        return Optional.empty();
      }
      return certificate(certificate)
          .filter(holder -> holder.identity().role() == Role.QUEUE_NODE)
          .filter(holder -> !withdrawn.test(holder.identity().id()))
          .filter(holder -> holder.identity().name().equals(decoded.getSubject()))
          .flatMap(holder -> signed(text, holder));
    } catch (JWTVerificationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<VerifiedReport> signed(String text, Certificate holder) {
    // The key decides about the algorithm, never the report.
    DecodedJWT report = JWT.require(Algorithm.ECDSA256(holder.key(), null)).build().verify(text);
    Long incarnation = report.getClaim(ReportSigner.INCARNATION).asLong();
    Long sequence = report.getClaim(ReportSigner.SEQUENCE).asLong();
    String json = report.getClaim(ReportSigner.CONTENT).asString();
    return incarnation == null || sequence == null || json == null
        ? Optional.empty()
        : Optional.of(
            new VerifiedReport(
                holder.identity().id(),
                holder.identity().name(),
                new RequestNumber(incarnation, sequence),
                json));
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
}
