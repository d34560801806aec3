package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.CentralClient;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.tests.central.NodeClients;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node answers with lines of a log, which a central manager logs as a part of its own line. */
@Tag("drill")
class ForgedLogsTest {
  private static final UUID ID = new UUID(66, 9);
  private static final String FORGED =
      "no\r\n2030-01-01T00:00:00.000Z ERROR [main] forged - all is lost\n\u001b[2Jcleared\u0085"
          + "2030-01-02T00:00:00.000Z INFO";

  @RegisterExtension static final SeparateRoles ROLES = new SeparateRoles(1, 1, Map.of());

  private final AtomicLong sequence = new AtomicLong();
  private HttpServer server;

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", ForgedLogsTest::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    boolean nonce = exchange.getRequestURI().getPath().equals("/v1/nonce");
    Object said = nonce ? Map.of("nonce", "AAAA") : Problem.of(ErrorCode.UNAVAILABLE, FORGED);
    byte[] answer = Json.writeBytes(said);
    try (exchange) {
      String type = nonce ? "application/json" : Problem.MEDIA_TYPE;
      exchange.getResponseHeaders().add("Content-Type", type);
      exchange.sendResponseHeaders(nonce ? 200 : ErrorCode.UNAVAILABLE.status(), answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  @Test
  void everyLineOfTheLogIsOneThatTheServerWrote() throws Exception {
    ROLES.define("bait", "{kind: queue, name: bait, minSegments: 1}");
    CentralClient node =
        new NodeClients(ROLES.tokens(), new JdkTransport())
            .of(ROLES.address(), Role.QUEUE_NODE, "forger", ID);
    Path log = log();
    Awaitility.await("the answer in the log")
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              node.report(report(), new RequestNumber(1, sequence.incrementAndGet()));
              ROLES.central().peek("bait", 10, null);
              return Files.readString(log).contains("all is lost");
            });
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).noneMatch(line -> line.startsWith("2030-"));
    assertThat(lines).allMatch(line -> line.matches("(?s)(20\\d\\d-|  ).*"));
    assertThat(String.join("\n", lines)).doesNotContainPattern("[\\p{Cntrl}&&[^\\n\\t]]|\u0085");
  }

  private static Path log() throws IOException {
    try (Stream<Path> files = Files.walk(ROLES.tokens().resolveSibling("data/c1"))) {
      return files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
    }
  }

  private QueueNodeReport report() {
    return new QueueNodeReport(
        ID,
        "forger",
        URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
        new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        ROLES.central().queue("bait").segments().stream()
            .filter(one -> one.queue().equals("bait"))
            .limit(1)
            .toList(),
        null);
  }
}
