package io.millrace.cli.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/**
 * The events' API with sample events in memory, on a free port of the loopback address, for one
 * worker that leases its events itself. Each event is delivered once: refused ones are counted and
 * not delivered again. Owns four threads until it is closed. Thread-safe.
 */
final class SampleSegment implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int LONGEST_BODY = 1 << 20;
  private static final int LARGEST_LEASE = 10_000;
  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(20);

  private final String queue;
  private final String token;
  private final Duration lease;
  private final List<JsonNode> data;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, daemons());
  // Guarded by this.
  private final Set<String> leased = new HashSet<>();
  private int delivered;
  private int acknowledged;
  private int refused;

  /**
   * Listens.
   *
   * @param token that the worker must send
   * @param lease that answers name; it does not expire here
   */
  SampleSegment(String queue, String token, Duration lease, List<JsonNode> data)
      throws IOException {
    this.queue = queue;
    this.token = token;
    this.lease = lease;
    this.data = List.copyOf(data);
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private static ThreadFactory daemons() {
    return Threads.daemons("sample-segment");
  }

  /** Where the worker calls it. */
  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** What has become of the events so far. */
  synchronized Fates fates() {
    return new Fates(acknowledged, refused, leased.size(), data.size() - delivered);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body;
      int status = 200;
      try {
        body = Json.writeBytes(called(exchange));
      } catch (MillraceException e) {
        status = e.code().status();
        body = Json.writeBytes(Problem.of(e.code(), e.getMessage()));
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private Object called(HttpExchange exchange) throws IOException, InterruptedException {
    if (!("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      throw new MillraceException(
          ErrorCode.UNAUTHENTICATED, "send the token in MILLRACE_TOKEN as a bearer token");
    }
    byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
    if (body.length > LONGEST_BODY) {
      throw new MillraceException(
          ErrorCode.BODY_TOO_LARGE, "a trial takes bodies of at most " + LONGEST_BODY + " bytes");
    }
    String path = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
    String routes = "POST /v1/queues/" + queue + "/";
    return switch (path.startsWith(routes) ? path.substring(routes.length()) : "") {
      case "leases" -> lease(read(body, LeaseRequest.class));
      case "acks" -> acknowledge(read(body, Acknowledgement.class).receipts());
      case "nacks" -> refuse(read(body, Refusal.class).receipts());
      case "extensions" -> extend(read(body, Extension.class).receipts());
      default ->
          throw new MillraceException(
              ErrorCode.UNKNOWN_ROUTE,
              "a trial serves only leases, acks, nacks and extensions of queue " + queue);
    };
  }

  private static <T> T read(byte[] body, Class<T> type) {
    T value = Json.read(body, type);
    if (value == null) {
      throw new MillraceException(ErrorCode.MALFORMED_BODY, "the body must be a JSON object");
    }
    return value;
  }

  private Lease lease(LeaseRequest request) throws InterruptedException {
    if (request.max() < 1 || request.max() > LARGEST_LEASE) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "max must be from 1 to " + LARGEST_LEASE);
    }
    List<DeliveredEvent> events = next(request.max());
    if (events.isEmpty() && request.patience() != null) {
      // As a queue without events does, so that a worker does not ask in a busy loop.
      Duration patience = request.patience();
      new Waiter().await(patience.compareTo(LONGEST_PATIENCE) < 0 ? patience : LONGEST_PATIENCE);
    }
    return new Lease(events, request.lease() == null ? lease : request.lease());
  }

  private synchronized List<DeliveredEvent> next(int max) {
    List<DeliveredEvent> events = new ArrayList<>();
    while (events.size() < max && delivered < data.size()) {
      JsonNode content = data.get(delivered);
      delivered++;
      String receipt = "trial-" + delivered;
      leased.add(receipt);
      events.add(new DeliveredEvent(receipt, "sample-" + delivered, queue, 1, null, content));
    }
    return events;
  }

  private synchronized ReceiptAnswer acknowledge(List<String> receipts) {
    ReceiptAnswer answer = matched(receipts, true);
    acknowledged += answer.done();
    return answer;
  }

  private synchronized ReceiptAnswer refuse(List<String> receipts) {
    ReceiptAnswer answer = matched(receipts, true);
    refused += answer.done();
    return answer;
  }

  private synchronized ReceiptAnswer extend(List<String> receipts) {
    return matched(receipts, false);
  }

  private ReceiptAnswer matched(List<String> receipts, boolean end) {
    if (receipts == null) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "receipts is missing");
    }
    Set<String> current = new HashSet<>(receipts);
    current.retainAll(leased);
    List<String> stale = receipts.stream().filter(one -> !leased.contains(one)).toList();
    if (end) {
      leased.removeAll(current);
    }
    return new ReceiptAnswer(current.size(), stale, 0);
  }

  /**
   * What became of the sample events.
   *
   * @param acknowledged by the worker
   * @param refused by the worker
   * @param unanswered leased, and neither acknowledged nor refused
   * @param notTaken never leased
   */
  record Fates(int acknowledged, int refused, int unanswered, int notTaken) {}
}
