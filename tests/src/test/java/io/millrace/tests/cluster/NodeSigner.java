package io.millrace.tests.cluster;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.CallSigner.CallClaims;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Signs single requests as a node does, also in ways that a node would not. Not thread-safe. */
public final class NodeSigner {
  private final Path tokens;
  private final JdkTransport transport = new JdkTransport();
  private final Map<NodeIdentity, NodeCredential> credentials = new HashMap<>();

  /** Signs with the keys of a central manager's tokens directory. */
  public NodeSigner(Path tokens) {
    this.tokens = tokens;
  }

  /** The audience of a server of the shared cluster, by the command that runs it. */
  public static String audience(String server) {
    return switch (server) {
      case "manager" -> NodeIdentity.CENTRAL;
      case "queue-node" -> NodeIdentity.audience(Role.QUEUE_NODE, "q1");
      case "load-balancer" -> NodeIdentity.audience(Role.LOAD_BALANCER, "lb1");
      default -> NodeIdentity.audience(Role.EXECUTION_NODE, "e1");
    };
  }

  /** The credential of a node, always the same for the same identity. */
  public NodeCredential credential(NodeIdentity node) {
    return credentials.computeIfAbsent(
        node,
        one -> new TokenIssuer(KeyFiles.privateKey(tokens), new SystemClock()).credential(one));
  }

  /** The credential in a node's data directory. */
  public NodeCredential credential(Path dataDirectory) {
    return NodeCredential.read(
        dataDirectory.resolve(NodeCredential.FILE),
        KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)));
  }

  /** The Authorization header of a node's request. */
  public String authorization(
      NodeCredential node, URI server, String audience, String method, String path) {
    return "Millrace "
        + CallSigner.of(node)
            .sign(
                new CallClaims(audience, method, path, nonce(server)),
                Principal.of(node.identity()));
  }

  /** The Authorization header of a central manager's request in the name of a caller. */
  public String authorization(
      Principal caller, URI server, String audience, String method, String path) {
    return "Millrace "
        + CallSigner.ofCentralManager(KeyFiles.privateKey(tokens))
            .sign(new CallClaims(audience, method, path, nonce(server)), caller);
  }

  /** A new nonce of the server. */
  public String nonce(URI server) {
    try {
      return Json.read(
              transport.send(HttpCall.get(server.resolve("/v1/nonce"))).body(), Nonce.class)
          .nonce();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Nonce(String nonce) {}
}
