package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JdkTransportTest {

  private final JdkTransport transport = new JdkTransport();
  private final ExecutorService executor =
      Executors.newCachedThreadPool(Threads.daemons("test-server"));
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch entered = new CountDownLatch(1);
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(executor);
    server.createContext(
        "/echo",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("X-Method", exchange.getRequestMethod());
          exchange
              .getResponseHeaders()
              .add("X-Greeting", exchange.getRequestHeaders().getFirst("Greeting"));
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/refused",
        exchange -> {
          byte[] body = Json.writeBytes(Problem.of(ErrorCode.UNKNOWN_QUEUE, "no queue orders"));
          exchange.getResponseHeaders().add("Content-Type", Problem.MEDIA_TYPE);
          exchange.sendResponseHeaders(404, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/never",
        exchange -> {
          entered.countDown();
          awaitRelease();
          exchange.close();
        });
    server.createContext(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] part = new byte[1 << 16];
          try (OutputStream out = exchange.getResponseBody()) {
            while (release.getCount() > 0) {
              out.write(part);
            }
          } finally {
            entered.countDown();
          }
        });
    server.createContext(
        "/trickle",
        exchange -> {
          exchange.sendResponseHeaders(exchange.getRequestURI().getQuery() == null ? 200 : 500, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            while (!release.await(20, TimeUnit.MILLISECONDS)) {
              out.write('x');
              out.flush();
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } finally {
            entered.countDown();
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.stop(0);
    executor.shutdownNow();
  }

  @Test
  void methodHeadersAndBodyArriveAndComeBack() throws IOException {
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);

    HttpAnswer answer =
        transport.send(
            HttpCall.post(uri("/echo"), "application/json", body).with("Greeting", "hello"));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers()).containsEntry("x-method", "POST");
    assertThat(answer.headers()).containsEntry("x-greeting", "hello");
    assertThat(answer.text()).isEqualTo("{}");
  }

  @Test
  void aRefusalIsAnAnswerAndNotAFailure() throws IOException {
    HttpAnswer answer = transport.send(HttpCall.get(uri("/refused")));

    assertThat(answer.status()).isEqualTo(404);
    assertThatThrownBy(answer::orThrow)
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNKNOWN_QUEUE));
  }

  @Test
  void aRefusedStreamIsThrownAsItsProblem() {
    assertThatThrownBy(() -> transport.stream(HttpCall.get(uri("/refused"))))
        .isInstanceOf(MillraceException.class)
        .hasMessage("no queue orders");
  }

  @Test
  void anAnswerWithoutEndIsDroppedAtTheLimitAndItsServerCutOff() throws Exception {
    HttpCall call = HttpCall.get(uri("/endless")).answeredWithin(1 << 20);
    assertThatThrownBy(() -> transport.send(call))
        .isInstanceOf(AnswerTooLargeException.class)
        .hasMessageContaining("larger than 1048576 bytes");
    // The server notices a closed connection; otherwise it would write until the release.
    assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anAnswerOfExactlyTheLimitIsRead() throws IOException {
    byte[] body = new byte[1000];
    HttpCall call = HttpCall.post(uri("/echo"), "text/plain", body).with("Greeting", "x");
    assertThat(transport.send(call.answeredWithin(1000)).body()).hasSize(1000);
    assertThatThrownBy(() -> transport.send(call.answeredWithin(999)))
        .isInstanceOf(AnswerTooLargeException.class);
  }

  @Test
  void anAnswerThatTricklesEndsWithTheTimeOfTheCall() throws Exception {
    HttpCall call = HttpCall.get(uri("/trickle")).within(Duration.ofMillis(300));
    assertThatThrownBy(() -> transport.send(call)).isInstanceOf(HttpTimeoutException.class);
    assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aRefusalOfAStreamThatTricklesEndsWithTheTimeOfTheCall() {
    HttpCall call = HttpCall.get(uri("/trickle?refused")).within(Duration.ofMillis(300));
    assertThatThrownBy(() -> transport.stream(call)).isInstanceOf(HttpTimeoutException.class);
  }

  @Test
  void aStreamGivesTheBody() throws IOException {
    byte[] body = "a\nb\n".getBytes(StandardCharsets.UTF_8);
    HttpCall call = HttpCall.post(uri("/echo"), "text/plain", body).with("Greeting", "x");

    try (InputStream stream = transport.stream(call)) {
      assertThat(stream.readAllBytes()).isEqualTo(body);
    }
  }

  @Test
  void aServerThatIsNotThereHasSeenNothing() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }

    assertThatThrownBy(
            () -> transport.send(HttpCall.get(URI.create("http://127.0.0.1:" + free + "/"))))
        .isInstanceOf(NothingSentException.class);
  }

  @Test
  void aConnectionThatBreaksAfterTheRequestWasSentIsOfUnknownOutcomeAndNotRepeated()
      throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      executor.execute(() -> hangUpOnEach(socket, requests));
      URI uri = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
      byte[] body = "events".getBytes(StandardCharsets.UTF_8);

      assertThatThrownBy(() -> transport.send(HttpCall.post(uri, "text/plain", body)))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(NothingSentException.class);
    }

    assertThat(requests).hasValue(1);
  }

  @Test
  void anAnswerThatDoesNotComeInTimeIsOfUnknownOutcome() {
    assertThatThrownBy(
            () -> transport.send(HttpCall.get(uri("/never")).within(Duration.ofMillis(100))))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(NothingSentException.class);
  }

  @Test
  void anInterruptEndsTheWaitAndStaysVisible() throws Exception {
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread caller =
        Threads.daemon(
            "caller",
            () -> {
              try {
                transport.send(HttpCall.get(uri("/never")));
              } catch (InterruptedIOException expected) {
                outcome.complete(Thread.currentThread().isInterrupted());
              } catch (IOException other) {
                outcome.completeExceptionally(other);
              }
            });
    caller.start();
    entered.await();

    caller.interrupt();

    assertThat(outcome.get()).isTrue();
  }

  private static void hangUpOnEach(ServerSocket socket, AtomicInteger requests) {
    try {
      while (true) {
        try (Socket accepted = socket.accept()) {
          if (accepted.getInputStream().read() >= 0) {
            requests.incrementAndGet();
          }
        }
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }
}
