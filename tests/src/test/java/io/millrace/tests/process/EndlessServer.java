package io.millrace.tests.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An HTTP server on loopback whose answers begin well and do not end. Each connection has a thread
 * until the client disconnects, or the server is closed.
 */
final class EndlessServer implements AutoCloseable {
  private static final byte[] PIECE = new byte[64 << 10];

  static {
    Arrays.fill(PIECE, (byte) ' ');
  }

  private final ServerSocket listening;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger answers = new AtomicInteger();

  EndlessServer() throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + listening.getLocalPort());
  }

  /** How many answers were begun and broken off by the client. */
  int answers() {
    return answers.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        threads.execute(() -> serve(socket));
      }
    } catch (IOException closed) {
      threads.shutdownNow();
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      OutputStream out = socket.getOutputStream();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        boolean nonce = line.contains("/v1/nonce");
        while (!line.isEmpty()) {
          line = lines.readLine();
        }
        if (!nonce) {
          write(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[");
          while (!listening.isClosed()) {
            out.write(PIECE);
          }
          return;
        }
        String answer = "{\"nonce\":\"AAAA\"}";
        write(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(answer.length(), answer));
      }
    } catch (IOException disconnected) {
      answers.incrementAndGet();
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
