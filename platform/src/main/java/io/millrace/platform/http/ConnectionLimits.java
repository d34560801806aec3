package io.millrace.platform.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections of a server beyond a number for each address and for all, and those whose
 * first request has not arrived in time. Thread-safe; never blocks.
 */
final class ConnectionLimits extends AbstractLifeCycle implements Connection.Listener {
  private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionLimits.class);

  private final Server server;
  private final int max;
  private final int maxOfAddress;
  private final long firstRequestMillis;
  private final AtomicInteger all = new AtomicInteger();
  // Entries without connections are removed, so it is bounded by the connections.
  private final Map<InetAddress, Integer> ofAddress = new ConcurrentHashMap<>();

  ConnectionLimits(Server server, int max, int maxOfAddress, long firstRequestMillis) {
    this.server = server;
    this.max = max;
    this.maxOfAddress = maxOfAddress;
    this.firstRequestMillis = firstRequestMillis;
  }

  @Override
  protected void doStart() {
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof AbstractConnector open) {
        open.addBean(this, false);
      }
    }
  }

  @Override
  public void onOpened(Connection connection) {
    int total = all.incrementAndGet();
    int same = ofAddress.merge(address(connection), 1, Integer::sum);
    if (total > max || same > maxOfAddress) {
      LOGGER.debug("closing a connection of {}: {} of it, {} in all", connection, same, total);
      connection.getEndPoint().close();
      return;
    }
    server
        .getScheduler()
        .schedule(() -> requireRequest(connection), firstRequestMillis, TimeUnit.MILLISECONDS);
  }

  private static void requireRequest(Connection connection) {
    if (connection.getMessagesIn() == 0) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    all.decrementAndGet();
    ofAddress.computeIfPresent(
        address(connection), (address, count) -> count > 1 ? count - 1 : null);
  }

  /** The connections that are open now. */
  int open() {
    return all.get();
  }

  private static InetAddress address(Connection connection) {
    return connection.getEndPoint().getRemoteSocketAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? remote.getAddress()
        : InetAddress.getLoopbackAddress();
  }
}
