package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.ServerCredential;
import io.millrace.platform.identity.ServerIdentity;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The identity of a node, and the calls that it makes and accepts by it. Thread-safe. */
public final class NodeCalls {
  private final ServerIdentity identity;
  private final Principal self;
  private final SignedCalls calls;
  private final TokenVerifier verifier;
  private final CentralClient central;
  private final ServerCredential credential;
  private final ECPublicKey cluster;

  /**
   * The calls of a node.
   *
   * @param cluster verifies callers
   * @param centralManagers in any order
   */
  public NodeCalls(
      ServerCredential credential,
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
    HttpTransport signed = calls.to(ServerIdentity.CENTRAL, self);
    this.central =
        new CentralClient(new ApiClient(signed, new Endpoints(centralManagers), () -> null));
  }

  /**
   * Files and addresses of a node's configuration.
   *
   * @param name of the node
   * @param dataDirectory of the node
   * @param central the central managers
   * @param publicKeyFile the cluster's public key
   * @param identityFile the node's identity; empty for the usual file in its data directory
   */
  public record NodeSettings(
      String name,
      Path dataDirectory,
      List<URI> central,
      Path publicKeyFile,
      Optional<Path> identityFile) {
    Path identity() {
      return identityFile.orElse(dataDirectory.resolve(ServerCredential.FILE));
    }
  }

  /**
   * Reads the node's identity, and claims its data directory for it. Where the cluster's key is
   * beside the public key, on the machine of a central manager, a missing identity, or one of
   * former keys, is created anew.
   *
   * @param role in which the node runs
   * @throws MillraceException CONFIGURATION if the identity is missing or that of another role or
   *     node
   */
  public static NodeCalls of(
      Role role, NodeSettings settings, HttpTransport transport, Clock clock) {
    ECPublicKey cluster = KeyFiles.publicKey(settings.publicKeyFile());
    Path keys = settings.publicKeyFile().toAbsolutePath().getParent();
    boolean certifies = Files.isReadable(keys.resolve(KeyFiles.PRIVATE));
    if (certifies && ServerCredential.isMissingOrOfOtherKeys(settings.identity(), cluster)) {
      UUID id = NodeIdFile.ensure(settings.dataDirectory());
      ServerIdentity node = new ServerIdentity(role, settings.name(), id);
      new TokenIssuer(KeyFiles.privateKey(keys), clock).credential(node).write(settings.identity());
    }
    ServerCredential credential = ServerCredential.read(settings.identity(), cluster);
    ServerIdentity identity = credential.identity();
    if (identity.role() != role || !identity.name().equals(settings.name())) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "%s is the identity of %s %s, not of %s %s; use its name and role, or join again"
              .formatted(
                  settings.identity(),
                  identity.role().label(),
                  identity.name(),
                  role.label(),
                  settings.name()));
    }
    NodeIdFile.claim(settings.dataDirectory(), identity);
    return new NodeCalls(credential, cluster, settings.central(), transport, clock);
  }

  public ServerIdentity identity() {
    return identity;
  }

  /** Verifies callers of this node. */
  public TokenVerifier verifier() {
    return verifier;
  }

  /** Verifies the reports of queue nodes in the cluster view. */
  public ReportVerifier reportVerifier() {
    return new ReportVerifier(cluster);
  }

  /** Signs this node's reports to the cluster view. */
  public ReportSigner reportSigner(RequestNumbers numbers) {
    return new ReportSigner(credential, numbers::next);
  }

  /** The client of the central managers. */
  public CentralClient central() {
    return central;
  }

  /** A transport for calls to another node, in this node's name. */
  public HttpTransport to(Role role, String name) {
    return calls.to(ServerIdentity.audience(role, name), self);
  }
}
