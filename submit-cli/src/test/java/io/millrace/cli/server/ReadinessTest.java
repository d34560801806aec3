package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.cli.server.Readiness.Missing;
import io.millrace.platform.clock.ManualClock;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadinessTest {
  private static final UpSettings EXPECTED =
      new UpSettings(Path.of("data"), 0, 1, 1, 0, false, Optional.empty());
  private static final URI ADDRESS = URI.create("http://127.0.0.1:1");

  private final FakeCluster cluster = new FakeCluster();

  /** Killed and started again within a lease, a cluster finds its nodes' rows as they were. */
  @Test
  void aNodeOfAnEarlierProcessDoesNotCountAlthoughItIsStillLive() {
    assertThat(missing(overview(2.5, 2.5))).containsExactly("q1", "e1");
    assertThat(missing(overview(0.1, 2.5))).containsExactly("e1");
    assertThat(missing(overview(2.5, 0.1))).containsExactly("q1");
    assertThat(missing(overview(0.1, 0.1))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeStatus.class,
      names = {"DRAINING", "DRAINED", "MAINTENANCE"})
  void aNodeCountsWhateverOperatorsAskedFor(NodeStatus status) {
    assertThat(missing(overview(0.1, executionNode(status, 0.1)))).isEmpty();
  }

  @Test
  void theClusterRunsWithoutANodeThatWasWithdrawnAndTheRefusalIsReported() throws Exception {
    cluster.answering("GET /v1/overview", overview(0.1, 0.1));
    UpSettings two = new UpSettings(Path.of("data"), 0, 1, 2, 0, false, Optional.empty());
    assertThat(readiness(two).await(() -> false)).containsExactly("execution-node e2: not you");
  }

  @Test
  void theClusterDoesNotRunWithoutItsOnlyQueueNode() {
    UpSettings more = new UpSettings(Path.of("data"), 0, 2, 1, 0, false, Optional.empty());
    cluster.answering("GET /v1/overview", overview(2.5, 0.1));
    assertThatThrownBy(() -> readiness(more).await(() -> false))
        .hasMessageContaining("queue-node q1: not you")
        .hasMessageContaining("queue-node q2: not you");
  }

  private Readiness readiness(UpSettings expected) {
    CentralClient central =
        new CentralClient(new ApiClient(cluster, new Endpoints(List.of(ADDRESS)), () -> "a token"));
    MillraceException refusal = new MillraceException(ErrorCode.FORBIDDEN, "not you");
    ManualClock clock = new ManualClock(Instant.EPOCH);
    long began = clock.nanoTime();
    clock.advance(Duration.ofMillis(2400));
    return new Readiness(central, expected, clock, began, node -> Optional.of(refusal));
  }

  private static List<String> missing(Overview overview) {
    return Readiness.missing(EXPECTED, overview, 2.4).stream().map(Missing::name).toList();
  }

  private static Overview overview(double queueNodeSilent, double executionNodeSilent) {
    return overview(queueNodeSilent, executionNode(NodeStatus.ACTIVE, executionNodeSilent));
  }

  private static Overview overview(double queueNodeSilent, ExecutionNodeView executionNode) {
    Overview none = Samples.overview(true);
    return new Overview(
        none.at(),
        none.version(),
        List.of(queueNode(queueNodeSilent)),
        List.of(executionNode),
        none.balancers(),
        none.queues(),
        none.jobs(),
        none.allJobs(),
        none.alerts());
  }

  private static QueueNodeView queueNode(double silentSeconds) {
    return new QueueNodeView(
        new UUID(0, 1),
        "q1",
        ADDRESS,
        true,
        false,
        false,
        silentSeconds,
        NodeStatus.ACTIVE,
        null,
        null,
        null,
        1,
        1,
        null,
        List.of(),
        null);
  }

  private static ExecutionNodeView executionNode(NodeStatus status, double silentSeconds) {
    return new ExecutionNodeView(
        new UUID(0, 2),
        "e1",
        ADDRESS,
        status,
        false,
        NodeCapacity.ofSlots(4),
        0,
        0,
        0,
        Map.of(),
        List.of(),
        Map.of(),
        silentSeconds,
        List.of(),
        true,
        null,
        null,
        List.of(),
        null,
        null,
        0,
        0);
  }
}
