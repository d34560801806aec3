package io.millrace.tests.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobView.JobCounts;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The dashboard's files with answers from a script, for pages whose states a cluster reaches only
 * after much has happened. Thread-safe.
 */
final class CannedDashboard implements Closeable {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; form-action 'self'";
  private static final Map<String, String> TYPES =
      Map.of("js", "text/javascript", "css", "text/css", "svg", "image/svg+xml");

  private final Map<String, Supplier<?>> answers = new TreeMap<>();
  private final List<String> asked = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final Supplier<Overview> overview;

  /** Starts on a free port; the stream of overviews sends one each second. */
  CannedDashboard(Supplier<Overview> overview) throws IOException {
    this.overview = overview;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  /** Answers calls whose method, path and query begin so; the longest match wins. */
  synchronized CannedDashboard answering(String call, Supplier<?> body) {
    answers.put(call, body);
    return this;
  }

  /** The calls so far, as method, path and query; those that change something with their body. */
  synchronized List<String> asked() {
    return List.copyOf(asked);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
      String path = exchange.getRequestURI().getPath();
      if (path.equals("/v1/stream")) {
        stream(exchange);
      } else if (path.startsWith("/v1/")) {
        api(exchange);
      } else {
        file(exchange, path.equals("/") ? "/index.html" : path);
      }
    }
  }

  private void stream(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    do {
      String event = "event: overview\ndata: " + Json.write(overview.get()) + "\n\n";
      out.write(event.getBytes(StandardCharsets.UTF_8));
      out.flush();
    } while (!ended());
  }

  private boolean ended() {
    try {
      return closed.await(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void api(HttpExchange exchange) throws IOException {
    String call = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Supplier<?> answer = answer(call, body);
    if (answer == null) {
      Problem unknown = Problem.of(ErrorCode.UNKNOWN_ROUTE, "nobody expected " + call);
      send(exchange, 404, Problem.MEDIA_TYPE, Json.writeBytes(unknown));
    } else if (answer.get() == null) {
      exchange.sendResponseHeaders(204, -1);
    } else {
      send(exchange, 200, "application/json", Json.writeBytes(answer.get()));
    }
  }

  private synchronized Supplier<?> answer(String call, String body) {
    asked.add(body.isEmpty() ? call : call + " " + body);
    return answers.entrySet().stream()
        .filter(one -> call.startsWith(one.getKey()))
        .max((a, b) -> a.getKey().length() - b.getKey().length())
        .<Supplier<?>>map(Map.Entry::getValue)
        .orElse(null);
  }

  private void file(HttpExchange exchange, String path) throws IOException {
    try (InputStream in = CannedDashboard.class.getResourceAsStream("/dashboard" + path)) {
      if (in == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String ending = path.substring(path.lastIndexOf('.') + 1);
      send(exchange, 200, TYPES.getOrDefault(ending, "text/html"), in.readAllBytes());
    }
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** An overview of nothing but some queues. */
  static Overview overview(List<QueueView> queues) {
    JobCounts none = new JobCounts(0, 0, 0, 0, 0);
    return new Overview(
        Instant.now(), "test", List.of(), List.of(), List.of(), queues, none, none, List.of());
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
