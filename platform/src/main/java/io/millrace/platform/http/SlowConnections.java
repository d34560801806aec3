package io.millrace.platform.http;

import io.millrace.platform.http.MeasuredConnector.MeasuredEndPoint;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose first request, whose request's header, or whose client's receipt of an
 * answer takes too long. Looks at all of them once a second, which costs requests nothing; a
 * connection that is closed is forgotten at once. Thread-safe; never blocks.
 */
final class SlowConnections {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlowConnections.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Server server;
  private final ServerBounds bounds;
  // Bounded by the limit of connections.
  private final Map<Connection, Watched> open = new ConcurrentHashMap<>();
  private volatile Scheduler.Task next;
  private volatile boolean stopped;

  SlowConnections(Server server, ServerBounds bounds) {
    this.server = server;
    this.bounds = bounds;
  }

  /** Watches a connection until it is closed. */
  void opened(Connection connection) {
    open.put(connection, new Watched());
  }

  void closed(Connection connection) {
    open.remove(connection);
  }

  /** The connections that are watched. */
  int size() {
    return open.size();
  }

  /** Begins to look at them; the server's scheduler runs. */
  void start() {
    next = server.getScheduler().schedule(this::look, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  void stop() {
    stopped = true;
    Scheduler.Task task = next;
    if (task != null) {
      task.cancel();
    }
  }

  private void look() {
    long now = NanoTime.now();
    open.forEach(
        (connection, watched) -> {
          String slow = slow(connection, watched, now);
          if (slow != null) {
            LOGGER.debug("closing a connection, {}: {}", slow, connection);
            connection.getEndPoint().close();
          }
        });
    if (!stopped) {
      start();
    }
  }

  private String slow(Connection connection, Watched watched, long now) {
    if (connection.getMessagesIn() == 0 && now - watched.since > bounds.firstRequest().toNanos()) {
      return "no request has arrived";
    }
    if (connection.getEndPoint() instanceof MeasuredEndPoint socket) {
      watched.look(connection, socket, now);
      if (watched.isHeaderLate(now)) {
        return "the header of a request arrives too slowly";
      }
      if (watched.isAnswerLate(socket)) {
        return "the client receives an answer too slowly";
      }
    }
    return null;
  }

  /** What is known of a connection. Used by the thread that looks. */
  private final class Watched {
    private final long since = NanoTime.now();
    private long looked = since;
    private long requests = -1;
    private long answers = -1;
    private long receivedBefore;
    private long sentBefore;
    private boolean headerBegun;
    private long headerSince;
    private long waited;

    void look(Connection connection, MeasuredEndPoint socket, long now) {
      long elapsed = now - looked;
      looked = now;
      if (connection.getMessagesIn() != requests || connection.getMessagesOut() != answers) {
        requests = connection.getMessagesIn();
        answers = connection.getMessagesOut();
        receivedBefore = socket.received();
        headerBegun = false;
        waited = 0;
        return;
      }
      // Whatever arrives while every request has its answer belongs to the header of the next one.
      if (!headerBegun && requests == answers && socket.received() != receivedBefore) {
        headerBegun = true;
        headerSince = now;
      }
      // Only this time counts: streams of events are silent for long.
      if (socket.isWriting()) {
        if (waited == 0) {
          // What the operating system took before has not been received.
          sentBefore = socket.sent();
        }
        waited += elapsed;
      }
    }

    boolean isHeaderLate(long now) {
      return headerBegun && now - headerSince > bounds.header().toNanos();
    }

    boolean isAnswerLate(MeasuredEndPoint socket) {
      return waited > ServerBounds.allowed(bounds.answer(), socket.sent() - sentBefore).toNanos();
    }
  }
}
