package io.millrace.executor.session;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.Json;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

/** A queue node on the loopback address that delivers sessions as a test says. Thread-safe. */
public final class SessionServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  // All guarded by this.
  private final List<WorkerRegistration> registrations = new ArrayList<>();
  private final List<SessionResult> results = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private List<SessionDelivery> deliveries = new ArrayList<>();
  private List<RevokedSession> revoked = new ArrayList<>();
  private ResultOutcome completions = ResultOutcome.DONE;
  private ResultOutcome releases = ResultOutcome.DONE;
  private boolean leave;
  private boolean silent;
  private Duration deadline = Duration.ofMinutes(2);
  private PollAnswered last;

  /** Listens at a free port. */
  public SessionServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** Where it answers. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Delivers events of a session from the first of these places on. */
  public synchronized void deliver(String key, String number, long... places) {
    deliver(
        new SessionDelivery(
            key,
            SessionNumber.of(number),
            places[0],
            null,
            0,
            LongStream.of(places).mapToObj(SessionServer::event).toList()));
  }

  synchronized void deliver(SessionDelivery delivery) {
    deliveries.add(delivery);
    notifyAll();
  }

  static SessionEvent event(long n) {
    return new SessionEvent(
        n, "e" + n, Instant.EPOCH, 1, null, Json.mapper().valueToTree("event " + n));
  }

  /** How long workers that register from now on may work after their last call. */
  synchronized void deadline(Duration time) {
    deadline = time;
  }

  synchronized void revoke(String key, String number) {
    revoked.add(new RevokedSession(key, SessionNumber.of(number)));
    notifyAll();
  }

  /** Answers nothing any more, or does again. */
  synchronized void silent(boolean is) {
    silent = is;
    notifyAll();
  }

  private synchronized boolean isSilent() {
    return silent;
  }

  synchronized void completionsCome(ResultOutcome outcome) {
    completions = outcome;
  }

  synchronized void releasesCome(ResultOutcome outcome) {
    releases = outcome;
  }

  /** Asks whoever polls to leave. */
  public synchronized void askToLeave() {
    leave = true;
    notifyAll();
  }

  synchronized List<WorkerRegistration> registrations() {
    return List.copyOf(registrations);
  }

  /** Methods and paths of all calls but polls. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  synchronized List<SessionResult> resultsOf(String key) {
    return results.stream().filter(one -> one.key().equals(key)).toList();
  }

  /** Waits for a result. */
  public SessionResult awaitResult(String key, ResultKind kind, long through)
      throws InterruptedException {
    await(() -> find(key, kind, through) != null);
    synchronized (this) {
      return find(key, kind, through);
    }
  }

  private SessionResult find(String key, ResultKind kind, long through) {
    return results.stream()
        .filter(one -> one.key().equals(key) && one.kind() == kind && one.through() == through)
        .findFirst()
        .orElse(null);
  }

  private synchronized void await(BooleanSupplier met) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!met.getAsBoolean()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("not within 30 s; results: " + results);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (isSilent()) {
        return;
      }
      Object answer =
          switch (exchange.getRequestMethod()) {
            case "PUT" -> register(exchange, Json.read(body, WorkerRegistration.class));
            case "POST" -> poll(Json.read(body, SessionPoll.class));
            default -> {
              note(exchange);
              yield null;
            }
          };
      byte[] text = answer == null ? new byte[0] : Json.writeBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer == null ? 204 : 200, answer == null ? -1 : text.length);
      if (answer != null) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(text);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void note(HttpExchange exchange) {
    calls.add(
        "%s %s with %s"
            .formatted(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath().replaceAll("[0-9a-f-]{36}", "WORKER"),
                exchange.getRequestHeaders().getFirst("Authorization")));
    notifyAll();
  }

  private synchronized WorkerRegistered register(
      HttpExchange exchange, WorkerRegistration registration) {
    note(exchange);
    registrations.add(registration);
    last = null;
    return new WorkerRegistered(RegistrationOutcome.EMPLOYED, Duration.ofMinutes(1), deadline);
  }

  private synchronized PollAnswered poll(SessionPoll poll) throws InterruptedException {
    long end = System.nanoTime() + (poll.patience() == null ? 0 : poll.patience().toNanos());
    while (deliveries.isEmpty() && revoked.isEmpty() && !leave && System.nanoTime() < end) {
      TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
    }
    if (last != null && last.poll() == poll.poll()) {
      return last;
    }
    results.addAll(poll.results());
    notifyAll();
    List<ResultAnswer> answers =
        poll.results().stream()
            .map(one -> new ResultAnswer(one.key(), one.number(), outcome(one.kind())))
            .toList();
    List<SessionDelivery> sessions = poll.max() == 0 ? List.of() : deliveries;
    if (poll.max() > 0) {
      deliveries = new ArrayList<>();
    }
    List<RevokedSession> taken = revoked;
    revoked = new ArrayList<>();
    last =
        new PollAnswered(
            poll.poll(), answers, sessions, taken, leave, Duration.ofMinutes(1), deadline);
    return last;
  }

  private ResultOutcome outcome(ResultKind kind) {
    return switch (kind) {
      case COMPLETED -> completions;
      case RELEASED -> releases;
      default -> ResultOutcome.DONE;
    };
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
