package io.millrace.tests.attack;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server of a node that has joined: it records the calls that it gets, passes off nonces of
 * another server as its own, and answers each call with an array of so many bytes. Thread-safe.
 */
final class RogueServer implements AutoCloseable {
  private static final byte[] PIECE = " ".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);

  private final List<Heard> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger cutOff = new AtomicInteger();
  private final AtomicInteger complete = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<String> issued = ConcurrentHashMap.newKeySet();
  private final HttpServer server;
  private final NodeSigner nonces;
  private final int pieces;
  private volatile URI victim;

  /**
   * A call that it got.
   *
   * @param path with the query
   */
  record Heard(String method, String path, String authorization) {
    /** A claim of the call's token, which is not verified. */
    String claim(String name) {
      String payload = authorization.split("\\.", -1)[1];
      String json = new String(Base64.getUrlDecoder().decode(payload), StandardCharsets.UTF_8);
      return Json.read(json, Map.class).get(name).toString();
    }
  }

  /**
   * Begins to listen on a free port.
   *
   * @param nonces requests nonces
   * @param victim whose nonces it issues
   * @param bytes of an answer, or a few more
   */
  RogueServer(NodeSigner nonces, URI victim, long bytes) throws IOException {
    this.nonces = nonces;
    this.victim = victim;
    this.pieces = (int) (bytes / PIECE.length);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Issues nonces of another server from now on, and has calls with former ones sent again. */
  void relay(URI server) {
    victim = server;
    issued.clear();
  }

  /** The calls since the last time that they were forgotten, without those for nonces. */
  List<Heard> calls() {
    return calls;
  }

  /** How many answers the caller did not receive to the end. */
  int cutOff() {
    return cutOff.get();
  }

  /** How many answers were sent completely. */
  int complete() {
    return complete.get();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      if (exchange.getRequestURI().getPath().equals("/v1/nonce")) {
        String nonce = nonces.nonce(victim);
        issued.add(nonce);
        send(exchange, 200, Json.writeBytes(Map.of("nonce", nonce)));
        return;
      }
      Heard call =
          new Heard(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              exchange.getRequestHeaders().getFirst("Authorization"));
      if (issued.contains(call.claim("nonce"))) {
        calls.add(call);
        answer(exchange);
      } else {
        exchange.getResponseHeaders().set("Content-Type", Problem.MEDIA_TYPE);
        send(exchange, 401, Json.writeBytes(Problem.of(ErrorCode.UNAUTHENTICATED, "restarted")));
      }
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] answer) throws IOException {
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    try {
      out.write('[');
      for (int sent = 0; sent < pieces; sent++) {
        out.write(PIECE);
      }
      out.write(']');
      out.flush();
      complete.incrementAndGet();
    } catch (IOException closed) {
      cutOff.incrementAndGet();
      throw closed;
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
