package io.millrace.tests.central;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Clients of central managers with identities of nodes, one for each name. Thread-safe. */
public final class NodeClients {
  private final Path tokens;
  private final HttpTransport transport;
  private final Map<String, NodeCalls> clients = new HashMap<>();

  /** Signs with the keys of the central managers' tokens directory. */
  public NodeClients(Path tokens, HttpTransport transport) {
    this.tokens = tokens;
    this.transport = transport;
  }

  /** The client of a node whose id is made of its name. */
  public CentralClient of(URI central, Role role, String name) {
    return of(central, role, name, UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  public CentralClient of(URI central, Role role, String name, UUID id) {
    return calls(central, role, name, id).central();
  }

  /** The calls of a node. */
  public synchronized NodeCalls calls(URI central, Role role, String name, UUID id) {
    NodeIdentity node = new NodeIdentity(role, name, id);
    return clients.computeIfAbsent(central + " " + node, none -> make(central, node));
  }

  private NodeCalls make(URI central, NodeIdentity node) {
    SystemClock clock = new SystemClock();
    return new NodeCalls(
        new TokenIssuer(KeyFiles.privateKey(tokens), clock).credential(node),
        KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
        List.of(central),
        transport,
        clock);
  }
}
