package io.millrace.tests.attack;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.CallSigner.CallClaims;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A machine that has joined over HTTP and sends whatever it likes. Not thread-safe. */
final class JoinedMachine {
  private static final JdkTransport TRANSPORT = new JdkTransport();

  private final NodeSigner nonces;
  private final NodeCredential credential;

  private JoinedMachine(NodeSigner nonces, NodeCredential credential) {
    this.nonces = nonces;
    this.credential = credential;
  }

  /** Joins the cluster; the machine's files are in a folder of the test. */
  static JoinedMachine join(Cluster cluster, Role role, String name) throws IOException {
    KeyPair keys = KeyFiles.newPair();
    JoinAnswer answer = join(cluster, token(cluster, role, null).token(), name, keys, null);
    Path file = cluster.folder("joined-" + name).resolve(NodeCredential.FILE);
    NodeCredential.write(file, answer.certificate(), (ECPrivateKey) keys.getPrivate());
    Path tokens = cluster.tokenFile(Role.ADMIN).getParent();
    NodeCredential credential =
        NodeCredential.read(file, KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)));
    return new JoinedMachine(new NodeSigner(tokens), credential);
  }

  /** Requests an identity with a join token. */
  static JoinAnswer join(Cluster cluster, String token, String name, KeyPair keys, UUID id) {
    String key = Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
    CentralClient stranger =
        new CentralClient(
            new ApiClient(TRANSPORT, new Endpoints(List.of(cluster.address())), () -> token));
    return stranger.join(new JoinRequest(name, key, id, null));
  }

  /** A join token of an administrator; the name may be null. */
  static JoinToken token(Cluster cluster, Role role, String name) {
    return cluster
        .central()
        .joinToken(new JoinToken.JoinTokenRequest(role.label(), null, name, false));
  }

  NodeIdentity identity() {
    return credential.identity();
  }

  /** Sends a request in its own name to a central manager. */
  HttpAnswer send(Cluster cluster, String method, String path, String body) {
    return send(
        cluster.address(),
        NodeIdentity.CENTRAL,
        Principal.of(credential.identity()),
        method,
        path,
        body);
  }

  /** Sends a request to any server, in any name. */
  HttpAnswer send(
      URI server, String audience, Principal claimed, String method, String path, String body) {
    String token =
        CallSigner.of(credential)
            .sign(new CallClaims(audience, method, path, nonces.nonce(server)), claimed);
    HttpCall call =
        new HttpCall(
                method,
                server.resolve(path),
                Map.of("Content-Type", "application/json"),
                body.replace('\'', '"').getBytes(StandardCharsets.UTF_8),
                Duration.ofSeconds(20))
            .with("Authorization", "Millrace " + token);
    try {
      return TRANSPORT.send(call);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
