package io.millrace.cli.startup;

import io.millrace.platform.lifecycle.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Answers the rehearsal's requests with the smallest answers that commands can read. Its thread
 * ends when it is closed.
 */
final class RehearsalServer implements AutoCloseable {
  private final ServerSocket socket;
  private final RehearsalAnswers answers = new RehearsalAnswers();

  RehearsalServer() throws IOException {
    socket = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    Threads.daemon("rehearsal-server", this::serve).start();
  }

  int port() {
    return socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void serve() {
    while (!socket.isClosed()) {
      answerOne();
    }
  }

  private void answerOne() {
    try (Socket connection = socket.accept()) {
      answer(connection);
    } catch (IOException e) {
      // The next request, if there is one, comes over another connection.
      return;
    }
  }

  private void answer(Socket connection) throws IOException {
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
    String request = in.readLine();
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    for (int read = 0; read < length; read++) {
      in.read();
    }
    String path = request.split(" ", 3)[1];
    boolean missing = path.endsWith("/404");
    byte[] body = answers.to(path, port());
    String head =
        (missing ? "HTTP/1.1 404 Not Found\r\n" : "HTTP/1.1 200 OK\r\n")
            + (missing
                ? "Content-Type: application/problem+json\r\n"
                : "Content-Type: application/json\r\n")
            + "Connection: close\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    OutputStream out = connection.getOutputStream();
    out.write(head.getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }
}
