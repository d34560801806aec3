package io.millrace.manager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.Loop;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The loss and the return of a queue node as a whole central manager sees them, by short leases.
 */
class LostQueueNodeTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;
  private final JdkTransport transport = new JdkTransport();
  private final Map<String, Loop> nodes = new HashMap<>();
  private CentralManager manager;
  private CentralClient viewer;

  @BeforeEach
  void threeNodesReport() {
    CentralSettings settings =
        CentralSettings.defaults()
            .at(folder, WebSettings.loopback(0))
            .withQueues(new QueueSettings(null, LEASE, GRACE));
    manager = new CentralManager(settings, new SystemClock());
    manager.start();
    viewer = client(Role.VIEWER);
    List.of("q1", "q2", "q3").forEach(this::start);
    client(Role.OPERATOR)
        .apply(
            new ApplyRequest(
                List.of(new SourceFile("f", "{kind: queue, name: alert, minSegments: 3}")), false));
    await().atMost(LONG).until(() -> holders().size() == 3);
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(Loop::stop);
    manager.stop();
  }

  @Test
  void itsPointsGoToLiveNodesAndOnItsReturnItGetsANewShare() {
    nodes.remove("q3").stop();
    await().atMost(LONG).until(() -> !holders().containsKey("q3"));

    assertThat(holders().keySet()).containsExactlyInAnyOrder("q1", "q2");
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(viewer.overview().alerts())
                    .extracting(Alert::code)
                    .containsExactly("NODE_LOST", "SILENT_NODE_EVENTS"));

    start("q3");
    await().atMost(LONG).until(() -> holders().containsKey("q3"));
    assertThat(viewer.weights("alert", 5).history())
        .extracting(WeightChange::kind)
        .endsWith(BalancingKind.HEAL, BalancingKind.RESTORE);
    await().atMost(LONG).untilAsserted(() -> assertThat(overview().alerts()).isEmpty());
  }

  private Overview overview() {
    return viewer.overview();
  }

  /** Reports four times a second, until it is stopped. */
  private void start(String node) {
    CentralClient client = new ManagerClients(manager, transport).of(Role.QUEUE_NODE, node);
    Loop loop =
        new Loop(
            node, Duration.ofMillis(250), () -> client.report(report(node), JobBench.number()));
    nodes.put(node, loop);
    loop.start();
  }

  private Map<String, Integer> holders() {
    QueueWeights row = viewer.weights("alert", 5).weights();
    return row == null ? Map.of() : row.points();
  }

  private CentralClient client(Role role) {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), role));
    Endpoints endpoints = new Endpoints(List.of(manager.address()));
    return new CentralClient(new ApiClient(transport, endpoints, () -> token));
  }

  private static QueueNodeReport report(String node) {
    return new QueueNodeReport(
        UUID.nameUUIDFromBytes(node.getBytes(StandardCharsets.UTF_8)),
        node,
        URI.create("http://127.0.0.1:1"),
        new NodeLoad(NodeState.NORMAL, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        List.of(QueueWorld.segment("alert", node, 7, 7)),
        null);
  }
}
