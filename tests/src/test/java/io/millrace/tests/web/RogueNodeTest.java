package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.tests.central.NodeClients;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A queue node that has joined, holds weight, keeps what it is sent and answers what it likes:
 * neither the calls of central managers nor those of load balancers are of any use to it elsewhere,
 * and its answers harm nobody else.
 */
class RogueNodeTest {
  private static final UUID ID = new UUID(66, 6);
  private static final String EVENTS = "POST /v1/queues/bait/events";
  private static final String PEEK = "GET /v1/queues/bait/peek";
  private static final String DEAD = "GET /v1/queues/bait/dead";
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(1, 1, 4);

  // Requests of a node are numbered from its start on.
  private static final AtomicLong STARTS = new AtomicLong();
  // A batch is stored once under its name.
  private static final AtomicInteger BATCHES = new AtomicInteger();

  private final JdkTransport transport = new JdkTransport();
  // By method and path; the last of each.
  private final Map<String, Stolen> stolen = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();
  private final Path tokens = CLUSTER.tokenFile(Role.ADMIN).getParent();
  private final NodeSigner signer = new NodeSigner(tokens);
  private final ExecutorService answering = Executors.newCachedThreadPool();
  private final ScheduledExecutorService reporting = Executors.newSingleThreadScheduledExecutor();
  // Whose nonces the rogue passes off as its own; null for useless ones.
  private volatile URI relayed;
  private volatile String answer = "[]";
  private HttpServer server;
  private CentralClient central;
  private ScheduledFuture<?> reports;

  private record Stolen(String method, String path, String authorization) {
    String route() {
      return method + " " + path;
    }
  }

  @BeforeEach
  void joinAndGetWeight() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(answering);
    server.createContext("/", this::steal);
    server.start();
    central =
        new NodeClients(tokens, transport).of(CLUSTER.address(), Role.QUEUE_NODE, "rogue", ID);
    long incarnation = STARTS.incrementAndGet();
    reports =
        reporting.scheduleWithFixedDelay(
            () -> central.report(report(ID, "rogue"), number(incarnation)),
            0,
            500,
            TimeUnit.MILLISECONDS);
    Awaitility.await("the rogue is registered")
        .atMost(SOON)
        .until(
            () ->
                CLUSTER.central().overview().queueNodes().stream()
                        .filter(QueueNodeView::live)
                        .count()
                    == 2);
    String bait = "{kind: queue, name: bait, minSegments: 2}";
    CLUSTER.central().apply(new ApplyRequest(List.of(new SourceFile("bait.yaml", bait)), false));
    Awaitility.await("both have weight")
        .atMost(SOON)
        .until(() -> points().keySet().containsAll(List.of("q1", "rogue")));
  }

  @AfterEach
  void leave() {
    assertThat(reports.isDone()).as("a report was refused").isFalse();
    reporting.shutdownNow();
    server.stop(0);
    answering.shutdownNow();
  }

  private static Map<String, Integer> points() {
    QueueWeights weights = CLUSTER.central().weights("bait", 1).weights();
    return weights == null ? Map.of() : weights.points();
  }

  private void steal(HttpExchange exchange) throws IOException {
    String said = answer;
    if (exchange.getRequestURI().getPath().equals("/v1/nonce")) {
      String nonce = relayed == null ? "AAAA" : signer.nonce(relayed);
      said = Json.write(Map.of("nonce", nonce));
    } else {
      Stolen call =
          new Stolen(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath(),
              exchange.getRequestHeaders().getFirst("Authorization"));
      stolen.put(call.route(), call);
    }
    byte[] bytes = said.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private QueueNodeReport report(UUID id, String name) {
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new QueueNodeReport(
        id,
        name,
        address,
        new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        List.of(
            new SegmentFigures(
                "bait", name, 500, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null)),
        null);
  }

  private RequestNumber number(long incarnation) {
    return new RequestNumber(incarnation, sequence.incrementAndGet());
  }

  @Test
  void whatIsSentToANodeIsOfNoUseElsewhere() throws Exception {
    URI q1 = CLUSTER.servers().get("queue-node").address();
    List<URI> victims = List.of(CLUSTER.address(), q1, CLUSTER.balancerAddress());
    List<URI> relays = new ArrayList<>(victims);
    relays.add(null);
    for (URI relay : relays) {
      relayed = relay;
      getCalls();
      for (Stolen call : stolen.values()) {
        for (URI victim : victims) {
          assertUseless(call, victim);
        }
      }
    }
  }

  /** Until both the load balancer and the central manager have called the rogue again. */
  private void getCalls() {
    stolen.clear();
    Awaitility.await("calls of the central manager and of the load balancer")
        .atMost(SOON)
        .until(
            () -> {
              CLUSTER.central(Role.VIEWER).peek("bait", 10, null);
              CLUSTER.central(Role.VIEWER).deadLetters().list("bait", 10, null);
              send();
              return stolen.keySet().containsAll(List.of(EVENTS, PEEK, DEAD));
            });
  }

  private SendAnswer send() {
    return CLUSTER
        .producer()
        .send(
            "bait",
            "bait-" + BATCHES.incrementAndGet(),
            EventMedia.JSON,
            "1".getBytes(StandardCharsets.UTF_8));
  }

  /** Batches that it does not acknowledge are stored elsewhere; what others hold is shown. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{\"queue\": \"bait\", \"batch\": \"x\", \"accepted\": -1000000000, \"node\": \"x\"}",
        "[{\"handle\": \"q1/1\", \"id\": \"x\", \"queue\": \"bait\", \"node\": \"q1\"}]"
      })
  void itsAnswersHarmNobody(String said) {
    answer = said;
    stolen.clear();
    Awaitility.await("a batch that was sent to the rogue first")
        .atMost(SOON)
        .until(
            () -> {
              assertThat(send().node()).isEqualTo("q1");
              return stolen.containsKey(EVENTS);
            });
    assertThat(CLUSTER.central().deadLetters().list("bait", 10, null).found()).isEmpty();
    assertThat(CLUSTER.central().deadLetters().list("bait", 10, null).unreached())
        .containsExactly("rogue");
    assertThat(CLUSTER.central().peek("bait", 10, null).found())
        .extracting(PeekedEvent::id)
        .anyMatch(id -> id.startsWith("bait-"));
  }

  @Test
  void itSpeaksForNobodyElse() {
    Map<String, Integer> before = points();
    long version = CLUSTER.central().weights("bait", 1).weights().version();
    UUID q1 = NodeIdFile.ensure(CLUSTER.dataDirectory("q1"));
    List<ThrowingCallable> attempts =
        List.of(
            () -> central.report(report(q1, "q1"), new RequestNumber(Long.MAX_VALUE, 1)),
            () -> central.report(report(ID, "q1"), new RequestNumber(Long.MAX_VALUE, 1)),
            () -> central.move(move("q1", new WeightMove("bait", version, "q1", "rogue", 1))),
            () -> central.move(move("rogue", new WeightMove("bait", version, "q1", "rogue", 1))));
    for (ThrowingCallable attempt : attempts) {
      assertThatThrownBy(attempt)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    }
    assertThat(points()).isEqualTo(before);
  }

  private static MoveRequest move(String node, WeightMove move) {
    return new MoveRequest(
        UUID.randomUUID(), node, BalancingKind.SHED, "measured", List.of(move), "mine", null);
  }

  private void assertUseless(Stolen call, URI victim) throws IOException {
    for (String path :
        List.of(
            call.path(),
            "/v1/queues/bait/purge",
            "/v1/queues/bait/peek",
            "/v1/jobs",
            "/v1/segments",
            "/metrics")) {
      for (String method : List.of("GET", "POST", "DELETE")) {
        HttpCall replay =
            new HttpCall(
                    method,
                    victim.resolve(path),
                    Map.of("Content-Type", "application/json"),
                    new byte[0],
                    Duration.ofSeconds(20))
                .with("Authorization", call.authorization());
        assertThat(transport.send(replay).status())
            .as("%s %s at %s with the call %s", method, path, victim, call)
            .isEqualTo(401);
      }
      HttpCall bearer =
          HttpCall.get(victim.resolve(path))
              .with(
                  "Authorization",
                  "Bearer " + call.authorization().substring("Millrace ".length()));
      assertThat(transport.send(bearer).status()).isEqualTo(401);
    }
  }
}
