package io.millrace.platform.http;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The identity of a node, and the calls that it makes and accepts by it. Thread-safe. */
public final class NodeCalls {
  private final NodeIdentity identity;
  private final Principal self;
  private final SignedCalls calls;
  private final TokenVerifier verifier;
  private final CentralClient central;
  private final NodeCredential credential;
  private final ECPublicKey cluster;

  /**
   * The calls of a node.
   *
   * @param cluster verifies callers
   * @param centralManagers in any order
   */
  public NodeCalls(
      NodeCredential credential,
      ECPublicKey cluster,
      List<URI> centralManagers,
      HttpTransport transport,
      Clock clock) {
    this.credential = credential;
    this.cluster = cluster;
    this.identity = credential.identity();
    this.self = Principal.of(identity);
    this.calls = new SignedCalls(transport, CallSigner.of(credential), clock);
    this.verifier = new TokenVerifier(cluster, clock, identity.audience());
    HttpTransport signed = calls.toCentralManagers(self);
    this.central =
        new CentralClient(new ApiClient(signed, new Endpoints(centralManagers), () -> null));
  }

  public NodeIdentity identity() {
    return identity;
  }

  /** Verifies callers of this node. */
  public TokenVerifier verifier() {
    return verifier;
  }

  /**
   * Verifies the reports of queue nodes in the cluster view.
   *
   * @param withdrawn whether the identity with the ID was withdrawn; thread-safe, never blocks
   */
  public ReportVerifier reportVerifier(Predicate<UUID> withdrawn) {
    return new ReportVerifier(cluster, withdrawn);
  }

  /**
   * Signs this node's reports to the cluster view.
   *
   * @param numbers rise with each call, and with each start of the node
   */
  public ReportSigner reportSigner(Supplier<RequestNumber> numbers) {
    return new ReportSigner(credential, numbers);
  }

  /** The client of the central managers. */
  public CentralClient central() {
    return central;
  }

  /** A transport for calls to another node, in this node's name. */
  public HttpTransport to(Role role, String name) {
    return calls.to(role, name, self);
  }
}
