package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.Samples;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.cli.server.Readiness.Registered;
import java.net.URI;
import java.nio.file.Path;
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

  /** Killed and started again within a lease, a cluster finds its nodes' rows as they were. */
  @Test
  void aNodeOfAnEarlierProcessDoesNotCountAlthoughItIsStillLive() {
    Registered before = Registered.in(overview(2.5, 2.5), 2.4);
    assertThat(before.meets(EXPECTED)).isFalse();
    assertThat(before.missing(EXPECTED)).contains("0 of 1 queue nodes, 0 of 1 execution nodes");

    assertThat(Registered.in(overview(0.1, 2.5), 2.4)).isEqualTo(new Registered(1, 0, 1));
    assertThat(Registered.in(overview(2.5, 0.1), 2.4)).isEqualTo(new Registered(0, 1, 1));
    assertThat(Registered.in(overview(0.1, 0.1), 2.4).meets(EXPECTED)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeStatus.class,
      names = {"DRAINING", "DRAINED", "MAINTENANCE"})
  void aNodeCountsWhateverOperatorsAskedFor(NodeStatus status) {
    assertThat(Registered.in(overview(0.1, executionNode(status, 0.1)), 2.4).meets(EXPECTED))
        .isTrue();
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
        silentSeconds,
        NodeStatus.ACTIVE,
        null,
        null,
        null,
        1,
        1,
        null,
        List.of());
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
        null);
  }
}
