package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.http.OutsideCalls.RefusedAddressException;
import io.millrace.platform.http.OutsideCalls.TooManyLookupsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Addresses that users chose, with names that lead elsewhere. The tests treat 127.0.0.2 as public
 * and 127.0.0.1 as reserved; the same port of both is a server.
 */
@Timeout(60)
class OutsideCallsTest {
  private static final String NAME = "hook.example.test";
  private static final Duration SHORT = Duration.ofMillis(500);

  private final Queue<String> publicHeard = new ConcurrentLinkedQueue<>();
  private final Queue<String> privateHeard = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lookups = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final List<OutsideCalls> opened = new ArrayList<>();
  private HttpServer publicServer;
  private HttpServer privateServer;

  @BeforeEach
  void listen() throws IOException {
    while (publicServer == null) {
      privateServer = server("127.0.0.1", 0, privateHeard);
      try {
        publicServer = server("127.0.0.2", privateServer.getAddress().getPort(), publicHeard);
      } catch (BindException e) {
        // Another program has the port of this address.
        privateServer.stop(0);
      }
    }
  }

  @AfterEach
  void stop() {
    ended.countDown();
    opened.forEach(OutsideCalls::stop);
    publicServer.stop(0);
    privateServer.stop(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/hook",
        "http://10.1.2.3:8080/",
        "https://192.168.0.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/"
      })
  void aLiteralPrivateAddressIsRefusedWithoutACall(String address) {
    assertThat(OutsideCalls.refusal(URI.create(address)))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .contains(" is a private address; set notifications.privateAddresses"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://8.8.8.8/", "http://hook.example.test/", "http://999.1.1.1/", "mailto:a"})
  void aPublicAddressOrANameIsNotRefusedBeforeTheCall(String address) {
    assertThat(OutsideCalls.refusal(URI.create(address))).isEmpty();
  }

  @Test
  void aNameThatChangesAfterItsCheckLeadsToTheCheckedAddress() throws IOException {
    OutsideCalls calls =
        calls(host -> List.of(address(lookups.getAndIncrement() == 0 ? "127.0.0.2" : "127.0.0.1")));

    HttpAnswer answer = calls.send(post("/hook"));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(publicHeard).containsExactly("POST /hook {} " + NAME);
    assertThat(privateHeard).isEmpty();
    assertThat(lookups).hasValue(1);
  }

  @Test
  void aNameIsCheckedAgainForEachCall() throws IOException {
    OutsideCalls calls =
        calls(host -> List.of(address(lookups.getAndIncrement() == 0 ? "127.0.0.2" : "127.0.0.1")));
    calls.send(post("/hook"));

    assertThatThrownBy(() -> calls.send(post("/hook")))
        .isInstanceOf(RefusedAddressException.class)
        .hasMessageContaining("127.0.0.1")
        .hasMessageContaining("privateAddresses");
    assertThat(publicHeard).hasSize(1);
    assertThat(privateHeard).isEmpty();
  }

  @Test
  void aNameWithOneReservedAddressIsRefusedWhole() {
    for (List<String> order :
        List.of(List.of("127.0.0.2", "127.0.0.1"), List.of("127.0.0.1", "127.0.0.2"))) {
      OutsideCalls calls = calls(host -> order.stream().map(OutsideCallsTest::address).toList());

      assertThatThrownBy(() -> calls.send(post("/hook")))
          .isInstanceOf(RefusedAddressException.class);
    }
    assertThat(publicHeard).isEmpty();
    assertThat(privateHeard).isEmpty();
  }

  @Test
  void aRedirectIsAnAnswerAndIsNotFollowed() throws IOException {
    OutsideCalls calls = calls(host -> List.of(address("127.0.0.2")));

    assertThat(calls.send(post("/redirect")).status()).isEqualTo(307);
    assertThat(privateHeard).isEmpty();
  }

  @Test
  void theNextAddressIsTriedIfOneDoesNotAnswer() throws IOException {
    OutsideCalls calls = calls(host -> List.of(address("127.0.0.3"), address("127.0.0.2")));

    assertThat(calls.send(post("/hook")).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:PORT/",
        "http://localhost:PORT/",
        "http://2130706433:PORT/",
        "http://[::1]:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://[::ffff:7f00:1]:PORT/",
        "http://[::7f00:1]:PORT/",
        "http://[64:ff9b::7f00:1]:PORT/",
        "http://[fe80::1]:PORT/",
        "http://169.254.169.254/latest/meta-data"
      })
  void reservedAddressesAreRefusedWithoutAConnection(String address) {
    OutsideCalls calls = opened(new OutsideCalls(NameResolver.system(), false));
    String port = Integer.toString(privateServer.getAddress().getPort());
    HttpCall call = HttpCall.post(URI.create(address.replace("PORT", port)), null);

    assertThatThrownBy(() -> calls.send(call)).isInstanceOf(RefusedAddressException.class);
    assertThat(privateHeard).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ftp://8.8.8.8/", "file:///etc/passwd", "/hook", "http://user:word@8.8.8.8/"})
  void addressesThatAreNotPlainHttpAreAlwaysRefused(String address) {
    OutsideCalls calls = opened(new OutsideCalls(NameResolver.system(), true));

    assertThatThrownBy(() -> calls.send(HttpCall.post(URI.create(address), null)))
        .isInstanceOf(RefusedAddressException.class);
  }

  @Test
  void aPrivateAddressIsCalledIfThatIsConfigured() throws IOException {
    OutsideCalls calls = opened(new OutsideCalls(host -> List.of(address("127.0.0.1")), true));

    assertThat(calls.send(post("/hook")).status()).isEqualTo(200);
    assertThat(privateHeard).hasSize(1);
  }

  @Test
  void theCaseOfASchemeDoesNotMatter() throws IOException {
    OutsideCalls calls = opened(new OutsideCalls(host -> List.of(address("127.0.0.1")), true));
    HttpCall call = post("/hook");
    URI written = URI.create(call.uri().toString().replace("http:", "HTTP:"));

    assertThat(calls.send(HttpCall.post(written, null)).status()).isEqualTo(200);
  }

  /** What the HTTP client says of its connection has the path, which may be a secret. */
  @ParameterizedTest
  @CsvSource({
    "'', the connection was closed without a complete answer",
    "'HTTP/1.1 200 OK|Content-Length: 9||part', the connection was closed without a complete answer",
    "no status of HTTP, the answer is not HTTP"
  })
  void aFailureDoesNotShowThePath(String answer, String reason) throws Exception {
    OutsideCalls calls = opened(new OutsideCalls(NameResolver.system(), true));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering = new Thread(() -> answerOnce(server, answer));
      answering.start();
      URI address = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/SECRET");
      assertThatThrownBy(() -> calls.send(HttpCall.post(address, null))).hasMessage(reason);
      answering.join();
    }
  }

  private static void answerOnce(ServerSocket server, String answer) {
    try (Socket caller = server.accept()) {
      caller.getInputStream().read();
      caller.getOutputStream().write(answer.replace("|", "\r\n").getBytes(StandardCharsets.UTF_8));
      caller.shutdownOutput();
      caller.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anUnknownNameIsAFailureThatNamesIt() {
    OutsideCalls calls =
        calls(
            host -> {
              throw new UnknownHostException(host);
            });

    assertThatThrownBy(() -> calls.send(post("/hook"))).hasMessage("unknown host " + NAME);
  }

  @Test
  void anAnswerWithoutEndIsRefusedAtTheLimit() {
    OutsideCalls calls = calls(host -> List.of(address("127.0.0.2")));

    assertThatThrownBy(() -> calls.send(post("/endless").answeredWithin(64 << 10)))
        .isInstanceOf(AnswerTooLargeException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/slow", "/silent"})
  void anAnswerThatArrivesSlowlyIsGivenUpInTime(String path) {
    OutsideCalls calls = calls(host -> List.of(address("127.0.0.2")));

    assertThatThrownBy(() -> calls.send(post(path).within(SHORT)))
        .isInstanceOf(HttpTimeoutException.class);
  }

  @Test
  void namesThatAreNotResolvedTakeNeitherTheTimeNorAllThreads() {
    OutsideCalls calls =
        calls(
            host -> {
              lookups.incrementAndGet();
              awaitEnd();
              return List.of(address("127.0.0.2"));
            });
    for (int call = 0; call < 4; call++) {
      URI address = URI.create("http://hook" + call + ".example.test/");
      assertThatThrownBy(() -> calls.send(HttpCall.post(address, null).within(SHORT)))
          .isInstanceOf(HttpTimeoutException.class);
    }

    assertThatThrownBy(() -> calls.send(post("/hook")))
        .isInstanceOf(TooManyLookupsException.class)
        .hasMessageContaining("too many names");
    assertThat(lookups).hasValue(4);
  }

  private OutsideCalls calls(NameResolver names) {
    return opened(
        new OutsideCalls(
            names,
            address -> address.getHostAddress().equals("127.0.0.1"),
            new SslContextFactory.Client()));
  }

  private OutsideCalls opened(OutsideCalls calls) {
    opened.add(calls);
    calls.start();
    return calls;
  }

  private HttpCall post(String path) {
    int port = publicServer.getAddress().getPort();
    return HttpCall.post(
            URI.create("http://" + NAME + ":" + port + path),
            "application/json",
            "{}".getBytes(StandardCharsets.UTF_8))
        .within(Duration.ofSeconds(30));
  }

  private HttpServer server(String host, int port, Queue<String> heard) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", exchange -> answer(exchange, heard));
    server.start();
    return server;
  }

  private void answer(HttpExchange exchange, Queue<String> heard) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String host = exchange.getRequestHeaders().getFirst("Host").replaceAll(":.*", "");
    String path = exchange.getRequestURI().getPath();
    heard.add(exchange.getRequestMethod() + " " + path + " " + body + " " + host);
    try (exchange) {
      switch (path) {
        case "/redirect" -> {
          int port = privateServer.getAddress().getPort();
          exchange.getResponseHeaders().add("Location", "http://127.0.0.1:" + port + "/");
          exchange.sendResponseHeaders(307, -1);
        }
        case "/endless" -> write(exchange, new byte[8_192], Duration.ZERO);
        case "/slow" -> write(exchange, new byte[1], Duration.ofMillis(50));
        case "/silent" -> awaitEnd();
        default -> exchange.sendResponseHeaders(200, -1);
      }
    }
  }

  /** Writes without end, until the client has gone or the test has ended. */
  private void write(HttpExchange exchange, byte[] part, Duration pause) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    OutputStream body = exchange.getResponseBody();
    try {
      while (!ended.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        body.write(part);
        body.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitEnd() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
