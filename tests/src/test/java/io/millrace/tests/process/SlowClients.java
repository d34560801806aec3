package io.millrace.tests.process;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients with a valid token that announce a body and send only the beginning, and clients that
 * send bodies without end, a piece at each {@link #step}. One thread calls step, another everything
 * else.
 */
final class SlowClients implements AutoCloseable {
  private static final int BEGINNING = 1 << 20;
  private static final int PIECE = 256 << 10;

  private final URI server;
  private final String token;
  private final List<Socket> silent = new ArrayList<>();
  private final List<Semaphore> permits = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean closed;

  SlowClients(URI server, String token) {
    this.server = server;
    this.token = token;
  }

  /** How many bodies without end were broken off by the server. */
  int refused() {
    return refused.get();
  }

  /** Connections that announce a large body; those of an earlier call are closed. */
  void announce(int count) throws IOException {
    closeSilent();
    for (int i = 0; i < count; i++) {
      Socket socket = begin("Content-Length: 8000000");
      silent.add(socket);
      try {
        socket.getOutputStream().write(new byte[BEGINNING]);
      } catch (IOException refusedAlready) {
        // The server is receiving as many bodies as it can.
        socket.close();
      }
    }
  }

  /** Bodies without end, each begun again when the server refuses it. */
  void sendWithoutEnd(int count) {
    for (int i = 0; i < count; i++) {
      Semaphore permit = new Semaphore(0);
      permits.add(permit);
      threads.execute(() -> sendUntilClosed(permit));
    }
  }

  /** Lets each body without end grow by a piece. */
  void step() {
    permits.forEach(
        permit -> {
          if (permit.availablePermits() == 0) {
            permit.release();
          }
        });
  }

  private void sendUntilClosed(Semaphore permit) {
    byte[] chunk =
        (Integer.toHexString(PIECE) + "\r\n" + " ".repeat(PIECE) + "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    while (!closed) {
      try (Socket socket = begin("Transfer-Encoding: chunked")) {
        while (!closed) {
          permit.acquire();
          socket.getOutputStream().write(chunk);
        }
      } catch (IOException brokenOff) {
        refused.incrementAndGet();
      } catch (InterruptedException ended) {
        return;
      }
    }
  }

  private Socket begin(String header) throws IOException {
    Socket socket = new Socket(server.getHost(), server.getPort());
    String head =
        "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n"
            .formatted(token, header);
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private void closeSilent() throws IOException {
    for (Socket socket : silent) {
      socket.close();
    }
    silent.clear();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    closeSilent();
    threads.shutdownNow();
  }
}
