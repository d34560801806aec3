package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Role;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;

/** A real server and clients that keep it waiting, in ways that ordinary clients cannot. */
final class SlowClients implements AutoCloseable {
  static final int LARGE = 8 << 20;

  private final List<Socket> sockets = new ArrayList<>();
  private final ServerFixture fixture;

  SlowClients(Path folder, ServerBounds bounds, int connections, int ofClient) {
    WebSettings settings =
        new WebSettings(
            "127.0.0.1",
            0,
            false,
            List.of(),
            new DataSize(LARGE),
            connections,
            ofClient,
            Optional.empty());
    // Read by all requests, so that they need no memory of their own.
    byte[] large = "x".repeat(LARGE).getBytes(StandardCharsets.US_ASCII);
    List<Route> routes =
        List.of(
            Route.post("/v1/things", EnumSet.of(Role.OPERATOR), SlowClients::size),
            Route.get("/v1/large", EnumSet.of(Role.OPERATOR), ctx -> large(ctx, large)),
            Route.post("/v1/streams", EnumSet.of(Role.OPERATOR), SlowClients::stream).streamed(),
            Route.open("POST", "/v1/login", SlowClients::size),
            Route.open("GET", "/assets/large.js", ctx -> large(ctx, large)));
    fixture = new ServerFixture(folder, settings, bounds, new Health(Map.of()), routes);
  }

  /** The usual bounds with another memory for bodies and other times for headers and answers. */
  static ServerBounds bounds(long bodyBytes, Duration time) {
    ServerBounds usual = ServerBounds.usual();
    return bounds(bodyBytes, usual.idle(), time, usual.body(), usual.openBody());
  }

  /** The usual bounds with another time for bodies. */
  static ServerBounds boundsOfBodies(Duration time) {
    ServerBounds usual = ServerBounds.usual();
    return bounds(usual.bodyBytes(), usual.idle(), usual.header(), time, time);
  }

  /** The usual bounds with another time between two requests. */
  static ServerBounds boundsOfIdle(Duration time) {
    ServerBounds usual = ServerBounds.usual();
    return bounds(usual.bodyBytes(), time, usual.header(), usual.body(), usual.openBody());
  }

  private static ServerBounds bounds(
      long bodyBytes, Duration idle, Duration time, Duration body, Duration openBody) {
    ServerBounds usual = ServerBounds.usual();
    return new ServerBounds(
        usual.threads(),
        usual.requests(),
        usual.requestsOfClient(),
        usual.strangers(),
        usual.strangersOfClient(),
        usual.userReaders(),
        usual.nodeReaders(),
        usual.nodeReadersOfOne(),
        usual.openReaders(),
        usual.openReadersOfClient(),
        usual.streams(),
        bodyBytes,
        idle,
        usual.firstRequest(),
        time,
        body,
        openBody,
        time);
  }

  private static void large(Context ctx, byte[] content) {
    ctx.header("Content-Length", Integer.toString(content.length));
    ctx.result(new ByteArrayInputStream(content));
  }

  private static void size(Context ctx) {
    ctx.result("size " + Requests.body(ctx).length);
  }

  private static void stream(Context ctx) {
    try {
      ctx.result("size " + Requests.stream(ctx).readAllBytes().length);
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "the body ended early", e);
    }
  }

  ServerFixture fixture() {
    return fixture;
  }

  List<Socket> sockets() {
    return sockets;
  }

  String authorization() {
    return "Authorization: Bearer " + fixture.token(Role.OPERATOR);
  }

  /** A client that sends the beginning of a request and waits. */
  Socket begin(String request, String... headers) throws IOException {
    Socket socket = connect("127.0.0.1");
    send(socket, head(request, headers));
    return socket;
  }

  static String head(String request, String... headers) {
    StringBuilder text = new StringBuilder(request).append(" HTTP/1.1\r\nHost: localhost\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  /** A client at an address of this machine that receives little at a time. */
  Socket connect(String from) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(4096);
    socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
    socket.connect(new InetSocketAddress("127.0.0.1", fixture.server().address().getPort()));
    return socket;
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  boolean isAlive() throws IOException, InterruptedException {
    return fixture.send(fixture.request("GET", "/livez", BodyPublishers.noBody())).statusCode()
        == 200;
  }

  /** The answer to an operator who sends a body. */
  String post(String path, String body) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        fixture.send(fixture.as(Role.OPERATOR, "POST", path, BodyPublishers.ofString(body)));
    return answer.statusCode() + " " + answer.body();
  }

  /** Waits until so many clients have an answer. */
  void awaitAnswers(int count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sockets.stream().filter(SlowClients::hasAnswer).count() >= count);
  }

  static boolean hasAnswer(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  static int statusOf(Socket socket) throws IOException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String status = lines.readLine();
    return status == null ? 0 : Integer.parseInt(status.split(" ")[1]);
  }

  static void awaitCutOff(Socket socket) {
    // Looks at once: most of hundreds of sockets have been cut off by then.
    Awaitility.await()
        .pollDelay(Duration.ZERO)
        .atMost(Duration.ofSeconds(60))
        .until(() -> isCutOff(socket));
  }

  /** Whether the server has closed the connection; reads what it has sent before. */
  static boolean isCutOff(Socket socket) {
    try {
      socket.setSoTimeout(50);
      byte[] rest = new byte[4096];
      int count = 0;
      while (count >= 0) {
        count = socket.getInputStream().read(rest);
      }
      return true;
    } catch (SocketException e) {
      return true;
    } catch (IOException stillOpen) {
      return false;
    }
  }

  @Override
  public void close() {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    fixture.close();
  }
}
