package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.topic.ITopic;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.Json;
import io.millrace.api.event.EventMedia;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.membership.ClusterView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Forged reports in the cluster view of a whole cluster: weights, addresses and routing stay. */
@Timeout(180)
class RogueMemberInClusterTest {
  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(2, 1, 4);

  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String QUEUE = "not-for-rogues";

  // The moves of the rogue, whose pace is that of the nodes' own reports.
  private static final int GENUINE_REPORTS = 20;

  private final AtomicInteger heard = new AtomicInteger();
  private final AtomicInteger called = new AtomicInteger();
  private final List<HazelcastInstance> rogues = new ArrayList<>();
  private HttpServer lure;

  @BeforeEach
  void listen() throws IOException {
    lure = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    lure.createContext(
        "/",
        exchange -> {
          called.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    lure.start();
  }

  @AfterEach
  void leave() {
    rogues.forEach(rogue -> rogue.getLifecycleService().terminate());
    lure.stop(0);
  }

  @Test
  void forgedReportsMoveNoWeightAndLeadNobodyElsewhere() {
    CLUSTER.define("{kind: queue, name: " + QUEUE + ", worker: {command: ['true']}}");
    await().atMost(SOON).until(() -> CLUSTER.view(QUEUE).weights().size() == 2);
    Topology before = topology();

    List<ITopic<String>> topics = join();
    for (int done = 0; done < GENUINE_REPORTS; done = heard.get()) {
      int next = done;
      topics.forEach(topic -> forge(topic, before.nodes()));
      await().atMost(SOON).until(() -> heard.get() > next);
    }

    Topology after = topology();
    assertThat(after.nodes()).isEqualTo(before.nodes());
    assertThat(after.weights()).isEqualTo(before.weights());
    byte[] event = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);
    assertThat(CLUSTER.producer().send(QUEUE, "after", EventMedia.JSON, event).accepted())
        .isEqualTo(1);
    assertThat(CLUSTER.central(Role.VIEWER).overview().queueNodes())
        .extracting("name")
        .containsExactlyInAnyOrder("q1", "q2");
    assertThat(called).hasValue(0);
  }

  /** All nodes are overloaded except an invented one and the first, all at the rogue's address. */
  private void forge(ITopic<String> topic, List<QueueNodeAddress> nodes) {
    List<QueueNodeAddress> named = new ArrayList<>(nodes);
    named.add(new QueueNodeAddress(new UUID(6, 66), "q66", lureAddress(), null));
    ECPrivateKey foreign = (ECPrivateKey) KeyFiles.newPair().getPrivate();
    TokenIssuer issuer = new TokenIssuer(foreign, new SystemClock());
    for (QueueNodeAddress node : named) {
      boolean idle = !node.name().equals("q2");
      NodeLoad load =
          new NodeLoad(
              idle ? NodeState.IDLE : NodeState.TOOBUSY, idle ? 0 : 1, 0, 0, null, "forged");
      String report =
          Json.write(
              new QueueNodeReport(
                  node.id(), node.name(), lureAddress(), load, 1e9, 1e9, List.of(), "forged"));
      NodeIdentity stolen = new NodeIdentity(Role.QUEUE_NODE, node.name(), node.id());
      RequestNumber future = new RequestNumber(Long.MAX_VALUE - 1, Long.MAX_VALUE);
      ReportSigner signer = new ReportSigner(issuer.credential(stolen), () -> future);
      topic.publish(signer.sign(ClusterView.QUEUE_NODES, report));
      topic.publish(signer.sign(ClusterView.QUEUE_NODES, ""));
      topic.publish(node.name() + "\n" + report);
      topic.publish(report);
    }
  }

  private URI lureAddress() {
    return URI.create("http://127.0.0.1:" + lure.getAddress().getPort());
  }

  private static Topology topology() {
    return CLUSTER.as("q1").topology(null, Duration.ZERO).orElseThrow();
  }

  private static List<Config> intruders() {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(member -> member.getConfig().getClusterName().startsWith("millrace-"))
        .map(RogueMemberInClusterTest::intruder)
        .toList();
  }

  /** Joins the cluster, and any other of this process: their names are derived from their keys. */
  private List<ITopic<String>> join() {
    List<Config> found =
        await()
            .atMost(SOON)
            .until(RogueMemberInClusterTest::intruders, members -> !members.isEmpty());
    List<ITopic<String>> topics = new ArrayList<>();
    for (Config config : found) {
      HazelcastInstance rogue = Hazelcast.newHazelcastInstance(config);
      rogues.add(rogue);
      assertThat(rogue.getCluster().getMembers()).hasSize(2);
      ITopic<String> topic = rogue.getTopic("view-" + ClusterView.QUEUE_NODES);
      topic.addMessageListener(
          message -> {
            if (!message.getPublishingMember().localMember()) {
              heard.incrementAndGet();
            }
          });
      topics.add(topic);
    }
    return topics;
  }

  private static Config intruder(HazelcastInstance member) {
    Config config = new Config();
    config.setClusterName(member.getConfig().getClusterName());
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "31");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    int port = member.getCluster().getLocalMember().getAddress().getPort();
    join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + port);
    return config;
  }
}
