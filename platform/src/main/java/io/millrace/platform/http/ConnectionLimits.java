package io.millrace.platform.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections of a server beyond a number for each client network and for all, and slow
 * ones. Some connections are kept back for health checks of the machine itself. Thread-safe; never
 * blocks.
 */
final class ConnectionLimits extends AbstractLifeCycle implements Connection.Listener {
  /** Connections of 127.0.0.1 and ::1 that are admitted beyond the number for all. */
  static final int RESERVE = 16;

  private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionLimits.class);
  private static final String CLIENT = "millrace.client";
  private static final Client UNKNOWN =
      new Client(ClientNetwork.of(InetAddress.getLoopbackAddress()));

  private final Server server;
  private final int max;
  private final int maxOfClient;
  private final SlowConnections slow;
  private final AtomicInteger all = new AtomicInteger();
  // Entries without connections are removed, so it is bounded by the connections.
  private final Map<ClientNetwork, Client> clients = new ConcurrentHashMap<>();

  // Whose each connection is; bounded by the connections.
  private final Map<Connection, Client> opened = new ConcurrentHashMap<>();

  ConnectionLimits(Server server, WebSettings settings, ServerBounds bounds) {
    this.server = server;
    this.max = settings.maxConnections();
    this.maxOfClient = settings.maxConnectionsPerAddress();
    this.slow = new SlowConnections(server, bounds);
  }

  @Override
  protected void doStart() {
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof AbstractConnector open) {
        open.addBean(this, false);
      }
    }
    slow.start();
  }

  @Override
  protected void doStop() {
    slow.stop();
  }

  @Override
  public void onOpened(Connection connection) {
    InetAddress address = address(connection);
    int[] same = new int[1];
    Client client =
        clients.compute(
            ClientNetwork.of(address),
            (network, known) -> {
              Client present = known == null ? new Client(network) : known;
              same[0] = present.connections().incrementAndGet();
              return present;
            });
    opened.put(connection, client);
    int total = all.incrementAndGet();
    if (total > max + (isOfThisMachine(address) ? RESERVE : 0) || same[0] > maxOfClient) {
      LOGGER.debug("closing a connection of {}: {} of it, {} in all", connection, same[0], total);
      connection.getEndPoint().close();
      return;
    }
    if (connection instanceof ConnectionMetaData known) {
      known.setAttribute(CLIENT, client);
    }
    slow.opened(connection);
  }

  @Override
  public void onClosed(Connection connection) {
    slow.closed(connection);
    // Its address is no longer known now.
    Client client = opened.remove(connection);
    if (client == null) {
      return;
    }
    all.decrementAndGet();
    clients.computeIfPresent(
        client.network(),
        (network, present) -> present.connections().decrementAndGet() > 0 ? present : null);
  }

  /** The client of a connection. */
  static Client client(ConnectionMetaData connection) {
    return connection.getAttribute(CLIENT) instanceof Client client ? client : UNKNOWN;
  }

  /** The connections that are open now. */
  int open() {
    return all.get();
  }

  // Others of 127.0.0.0/8 are as easily used as any address, but not by default.
  private static boolean isOfThisMachine(InetAddress address) {
    byte[] bytes = address.getAddress();
    return address.isLoopbackAddress()
        && bytes[1] == 0
        && bytes[2] == 0
        && bytes[bytes.length - 1] == 1;
  }

  /** The connections that are watched now. */
  int watched() {
    return slow.size();
  }

  private static InetAddress address(Connection connection) {
    return connection.getEndPoint().getRemoteSocketAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? remote.getAddress()
        : InetAddress.getLoopbackAddress();
  }
}
