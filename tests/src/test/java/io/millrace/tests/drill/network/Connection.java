package io.millrace.tests.drill.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One connection over a link: two sockets, and a thread for each direction. */
final class Connection {
  private final Socket client;
  private final Socket server;
  private final Consumer<Connection> ended;
  private final AtomicInteger directions = new AtomicInteger(2);

  /** The consumer is called at least once when the connection has ended. */
  Connection(Socket client, Socket server, Consumer<Connection> ended) {
    this.client = client;
    this.server = server;
    this.ended = ended;
  }

  Socket client() {
    return client;
  }

  Socket server() {
    return server;
  }

  void start(String name, Pipe pipe) {
    Thread thread = new Thread(() -> run(pipe), name);
    thread.setDaemon(true);
    thread.start();
  }

  private void run(Pipe pipe) {
    try {
      pipe.carry();
      if (directions.decrementAndGet() == 0) {
        close();
      }
    } catch (IOException e) {
      // One side has closed, and the other is notified.
      reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  /** Ends it with a reset of both sides instead of an orderly close. */
  void reset() {
    for (Socket socket : new Socket[] {client, server}) {
      try {
        socket.setSoLinger(true, 0);
      } catch (IOException e) {
        // Already closed.
      }
    }
    close();
  }

  private void close() {
    try {
      client.close();
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      ended.accept(this);
    }
  }
}
