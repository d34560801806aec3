package io.millrace.manager.app;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Clients of a central manager with identities of nodes, one for each name. Thread-safe. */
public final class ManagerClients {
  private final CentralManager manager;
  private final HttpTransport transport;
  private final Map<NodeIdentity, CentralClient> clients = new HashMap<>();

  public ManagerClients(CentralManager manager, HttpTransport transport) {
    this.manager = manager;
    this.transport = transport;
  }

  /** The client of a node whose id is made of its name. */
  public CentralClient of(Role role, String name) {
    return of(role, name, UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  public synchronized CentralClient of(Role role, String name, UUID id) {
    return clients.computeIfAbsent(new NodeIdentity(role, name, id), this::client);
  }

  private CentralClient client(NodeIdentity node) {
    Path tokens = manager.tokens();
    SystemClock clock = new SystemClock();
    return new NodeCalls(
            new TokenIssuer(KeyFiles.privateKey(tokens), clock).credential(node),
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
            List.of(manager.address()),
            transport,
            clock)
        .central();
  }
}
