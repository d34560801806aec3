package io.millrace.tests.drill.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/**
 * A TCP proxy on loopback that represents the network between processes. Thread-safe; its threads
 * end with their connections and with {@link #close}.
 */
public final class Link implements AutoCloseable {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int BACKLOG = 200;
  private static final Duration FREE_WITHIN = Duration.ofSeconds(30);

  private final String name;
  private final int port;
  private final InetSocketAddress target;
  private final Map<Direction, FlowControl> flows =
      Map.of(Direction.TO_SERVER, new FlowControl(), Direction.TO_CLIENT, new FlowControl());
  private final List<TrafficTrigger> wires = new CopyOnWriteArrayList<>();
  private final List<StatementHold> holds = new CopyOnWriteArrayList<>();
  private final List<Interference> interferences = new CopyOnWriteArrayList<>();
  private final Traffic traffic;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  // Null while connections are refused; guarded by this.
  private ServerSocket listening;

  /** An intact link: connections to the port reach the target. */
  public Link(String name, int port, InetSocketAddress target) {
    this(name, port, target, Traffic.NONE);
  }

  /** The same with measurement of the traffic to its server. */
  public Link(String name, int port, InetSocketAddress target, Traffic traffic) {
    this.traffic = traffic;
    this.name = name;
    this.port = port;
    this.target = target;
    listen();
  }

  public String name() {
    return name;
  }

  public int port() {
    return port;
  }

  /** Its HTTP address. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Adds a trigger, which watches the traffic until it fires or is cancelled. */
  public void watch(TrafficTrigger wire) {
    wires.removeIf(TrafficTrigger::over);
    wires.add(wire);
  }

  /**
   * Holds the first connection whose transaction sends the statements of the hold; only for a link
   * to a MySQL or MariaDB server.
   */
  public void hold(StatementHold hold) {
    holds.removeIf(StatementHold::over);
    holds.add(hold);
  }

  /** Its target. */
  public InetSocketAddress target() {
    return target;
  }

  /** Its recent traffic. */
  public Traffic traffic() {
    return traffic;
  }

  /** Repeats or delays requests until the interference is removed. */
  public void add(Interference interference) {
    interferences.add(interference);
  }

  public void remove(Interference interference) {
    interferences.remove(interference);
  }

  /** Slows one direction; {@link #heal} ends it. */
  public void slow(Direction direction, Duration latency, long bytesPerSecond) {
    flows.get(direction).slow(latency, bytesPerSecond);
  }

  /** Fails in the given way; {@link #heal} ends it. */
  public synchronized void cut(LinkFailure cut) {
    flows.forEach((direction, flow) -> flow.set(!cut.stalls(direction)));
    if (cut == LinkFailure.REFUSED) {
      refuse();
    }
  }

  /** Restores the link. Data held on connections that are still open is delivered. */
  public synchronized void heal() {
    flows.values().forEach(FlowControl::quick);
    flows.values().forEach(flow -> flow.set(true));
    if (listening == null) {
      listen();
    }
  }

  @Override
  public synchronized void close() {
    holds.forEach(StatementHold::release);
    flows.values().forEach(FlowControl::quick);
    flows.values().forEach(flow -> flow.set(true));
    refuse();
  }

  private synchronized void listen() {
    listening = bound();
    ServerSocket socket = listening;
    Thread thread = new Thread(() -> accept(socket), "link " + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The port remains in use until the accepting thread has ended. */
  private ServerSocket bound() {
    return Awaitility.await("link " + name + " at port " + port)
        .atMost(FREE_WITHIN)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .ignoreException(BindException.class)
        .until(this::bind, Objects::nonNull);
  }

  private ServerSocket bind() throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private synchronized void refuse() {
    if (listening != null) {
      try {
        listening.close();
      } catch (IOException e) {
        throw new UncheckedIOException("link " + name, e);
      }
      listening = null;
    }
    open.forEach(Connection::reset);
  }

  private void accept(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        connect(socket.accept(), socket);
      } catch (IOException e) {
        // Closed by a failure, which the loop condition detects.
      }
    }
  }

  private void connect(Socket client, ServerSocket through) {
    Connection connection = new Connection(client, new Socket(), open::remove);
    open.add(connection);
    try {
      connection.server().connect(target, CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      connection.server().setTcpNoDelay(true);
    } catch (IOException e) {
      connection.reset();
      return;
    }
    if (through.isClosed()) {
      connection.reset();
      return;
    }
    Transactions transactions = new Transactions(holds);
    start(connection, Direction.TO_SERVER, client, connection.server(), transactions);
    start(connection, Direction.TO_CLIENT, connection.server(), client, transactions);
  }

  private void start(
      Connection connection,
      Direction direction,
      Socket from,
      Socket to,
      Transactions transactions) {
    boolean toServer = direction == Direction.TO_SERVER;
    RecentText recentText = new RecentText(direction, wires, toServer ? traffic : Traffic.NONE);
    RequestTap tap = new RequestTap(toServer ? interferences : List.of());
    Pipe pipe = new Pipe(from, to, flows.get(direction), recentText, transactions, tap, this);
    connection.start("link " + name + " " + direction, pipe);
  }
}
