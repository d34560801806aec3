package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.EventMedia;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A queue node that has joined and keeps what it is sent: neither the calls of central managers nor
 * those of load balancers are of any use to it elsewhere.
 */
class RogueNodeTest {
  private static final UUID ID = new UUID(66, 6);

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(1, 1, 4);

  private final JdkTransport transport = new JdkTransport();
  private final List<Stolen> stolen = new CopyOnWriteArrayList<>();
  private final AtomicLong sequence = new AtomicLong();
  private final Path tokens = CLUSTER.tokenFile(Role.ADMIN).getParent();
  private final NodeSigner signer = new NodeSigner(tokens);
  // Whose nonces the rogue passes off as its own; null for useless ones.
  private volatile URI relayed;
  private HttpServer server;
  private CentralClient central;

  private record Stolen(String method, String path, String authorization) {}

  @BeforeEach
  void join() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::steal);
    server.start();
    central =
        new NodeClients(tokens, transport).of(CLUSTER.address(), Role.QUEUE_NODE, "rogue", ID);
  }

  @AfterEach
  void leave() {
    server.stop(0);
  }

  private void steal(HttpExchange exchange) throws IOException {
    byte[] answer = "[]".getBytes(StandardCharsets.UTF_8);
    if (exchange.getRequestURI().getPath().equals("/v1/nonce")) {
      String nonce = relayed == null ? "AAAA" : signer.nonce(relayed);
      answer = Json.writeBytes(Map.of("nonce", nonce));
    } else {
      stolen.add(
          new Stolen(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath(),
              exchange.getRequestHeaders().getFirst("Authorization")));
    }
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private void report() {
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    central.report(
        new QueueNodeReport(
            ID,
            "rogue",
            address,
            new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
            1,
            1,
            CLUSTER.central().queue("bait").segments().stream()
                .filter(one -> one.queue().equals("bait"))
                .limit(1)
                .toList(),
            null),
        new RequestNumber(1, sequence.incrementAndGet()));
  }

  @Test
  void whatIsSentToANodeIsOfNoUseElsewhere() throws Exception {
    CLUSTER.define("{kind: queue, name: bait, minSegments: 1}");
    URI q1 = CLUSTER.servers().get("queue-node").address();
    List<URI> victims = List.of(CLUSTER.address(), q1, CLUSTER.balancerAddress());
    List<URI> relays = new ArrayList<>(victims);
    relays.add(null);
    for (URI relay : relays) {
      relayed = relay;
      stolen.clear();
      Awaitility.await("a call of a central manager to the rogue node")
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                report();
                CLUSTER.central(Role.VIEWER).peek("bait", 10, null);
                return !stolen.isEmpty();
              });
      sendEvents();
      for (Stolen call : stolen) {
        for (URI victim : victims) {
          assertUseless(call, victim);
        }
      }
    }
  }

  /** Those that the load balancer sends to the rogue, too. */
  private static void sendEvents() {
    for (int i = 0; i < 5; i++) {
      try {
        CLUSTER
            .producer()
            .send("bait", "bait-" + i, EventMedia.JSON, "1".getBytes(StandardCharsets.UTF_8));
      } catch (MillraceException e) {
        // The rogue's answer is not that of a queue node.
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
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
