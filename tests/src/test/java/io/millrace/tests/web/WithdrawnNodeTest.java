package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Once an identity is withdrawn, every server refuses its calls, not only central managers. */
class WithdrawnNodeTest {
  private static final String EVENTS = "/v1/queues/kept/events";
  private static final String RESERVATIONS = "/v1/reservations";
  private static final String SEGMENTS = "/v1/segments";
  private static final String TOPOLOGY = "/v1/topology";

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(2, 1, 4);

  private final JdkTransport transport = new JdkTransport();
  private final Path tokens = CLUSTER.tokenFile(Role.ADMIN).getParent();
  private final NodeSigner signer = new NodeSigner(tokens);

  @Test
  void aWithdrawnLoadBalancerSendsNoEvents() throws IOException {
    CLUSTER.define("{kind: queue, name: kept, minSegments: 2}");
    NodeCredential thief = joined(Role.LOAD_BALANCER, "stolen-balancer");
    String event = "{\"name\":\"stolen\"}";
    assertThat(send(thief, "q1", EVENTS, event)).isEqualTo(200);

    withdraw("stolen-balancer");

    refused(thief, "q1", EVENTS, event);
    refused(thief, "q2", EVENTS, event);
    // Others are not affected.
    assertThat(send(joined(Role.LOAD_BALANCER, "another"), "q1", EVENTS, event)).isEqualTo(200);
  }

  @Test
  void aWithdrawnQueueNodeReservesNothing() throws IOException {
    CLUSTER.define("{kind: queue, name: kept, minSegments: 2}");
    NodeCredential thief = joined(Role.QUEUE_NODE, "stolen-node");
    String reservation =
        "{\"id\":\"%s\",\"from\":\"stolen-node\",\"queue\":\"kept\",\"points\":1,\"load\":0.0,\"ttl\":\"1s\"}"
            .formatted(UUID.randomUUID());
    assertThat(send(thief, "q1", RESERVATIONS, reservation)).isEqualTo(200);

    withdraw("stolen-node");

    refused(thief, "q1", RESERVATIONS, reservation);
    refused(thief, "q2", RESERVATIONS, reservation);
  }

  @Test
  void aWithdrawnExecutionNodeReadsNoFigures() throws IOException {
    NodeCredential thief = joined(Role.EXECUTION_NODE, "stolen-executor");
    URI address = CLUSTER.servers().get("queue-node").address();
    String audience = NodeSigner.audience("queue-node");
    assertThat(send(thief, address, audience, "GET", SEGMENTS, "")).isEqualTo(200);

    withdraw("stolen-executor");

    Awaitility.await("the queue node refuses it")
        .atMost(Duration.ofSeconds(30))
        .until(() -> send(thief, address, audience, "GET", SEGMENTS, "") == 403);
  }

  @Test
  void aQueueNodeKeepsTheWithdrawalForItsRestart() throws IOException {
    NodeIdentity node = joined(Role.QUEUE_NODE, "stolen-again").identity();
    withdraw("stolen-again");
    Path kept = CLUSTER.dataDirectory("q1").resolve("topology.json");
    Awaitility.await("the id in the file of the queue node")
        .atMost(Duration.ofSeconds(30))
        .until(() -> Files.readString(kept).contains(node.id().toString()));
  }

  /** The routes of load balancers and execution nodes admit no node at all. */
  @Test
  void noNodeIsAdmittedByLoadBalancersAndExecutionNodes() throws IOException {
    for (Role role : Role.nodes()) {
      NodeCredential node = joined(role, "any-" + role.label());
      for (String server : new String[] {"load-balancer", "executor-node"}) {
        URI address = CLUSTER.servers().get(server).address();
        String audience = NodeSigner.audience(server);
        for (String path : new String[] {EVENTS, "/metrics"}) {
          String method = path.equals(EVENTS) && server.equals("load-balancer") ? "POST" : "GET";
          assertThat(send(node, address, audience, method, path, "{}"))
              .as("%s %s at %s", role, path, server)
              .isIn(403, 404);
        }
      }
    }
  }

  private void withdraw(String name) {
    CLUSTER.central().withdrawIdentity(name);
  }

  /** A node whose identity a central manager has recorded. */
  private NodeCredential joined(Role role, String name) throws IOException {
    NodeCredential node =
        signer.credential(
            new NodeIdentity(
                role, name, UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8))));
    int status = send(node, CLUSTER.address(), NodeIdentity.CENTRAL, "GET", TOPOLOGY, "");
    assertThat(status).isEqualTo(200);
    return node;
  }

  private void refused(NodeCredential node, String server, String path, String body) {
    Awaitility.await(server + " refuses it")
        .atMost(Duration.ofSeconds(30))
        .until(() -> send(node, server, path, body) == 403);
  }

  private int send(NodeCredential node, String server, String path, String body)
      throws IOException {
    URI address =
        CLUSTER.central().overview().queueNodes().stream()
            .filter(one -> one.name().equals(server))
            .findFirst()
            .orElseThrow()
            .address();
    return send(node, address, NodeIdentity.audience(Role.QUEUE_NODE, server), "POST", path, body);
  }

  private int send(
      NodeCredential node, URI server, String audience, String method, String path, String body)
      throws IOException {
    HttpCall call =
        new HttpCall(
                method,
                server.resolve(path),
                Map.of("Content-Type", "application/json"),
                body.getBytes(StandardCharsets.UTF_8),
                Duration.ofSeconds(20))
            .with("Authorization", signer.authorization(node, server, audience, method, path));
    return transport.send(call).status();
  }
}
