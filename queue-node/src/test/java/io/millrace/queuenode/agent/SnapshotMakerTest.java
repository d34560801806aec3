package io.millrace.queuenode.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SnapshotMakerTest {
  private static final QueueWeights ALERT =
      new QueueWeights("alert", 4, Map.of("q1", 600, "q2", 400));

  @Test
  void onlyRegisteredReportingNodesCountAndOnlyActiveOnesAccept() {
    Topology topology =
        Reports.topology(
            List.of(ALERT),
            Reports.registered("q1", NodeStatus.ACTIVE),
            Reports.registered("q2", NodeStatus.DRAINING),
            Reports.registered("q3", NodeStatus.MAINTENANCE),
            Reports.registered("silent", NodeStatus.ACTIVE));
    BalancingSnapshot snapshot =
        SnapshotMaker.of(
            topology,
            Map.of(
                "q1", Reports.report("q1", NodeState.BUSY, 0.6, 2),
                "q2", Reports.report("q2", NodeState.NORMAL, 0.2, 1),
                "q3", Reports.report("q3", NodeState.IDLE, 0, 1),
                "stranger", Reports.report("stranger", NodeState.IDLE, 0, 1)));
    assertThat(snapshot.nodes())
        .containsExactlyInAnyOrder(
            new ObservedNode("q1", NodeState.BUSY, 0.6, 2, true),
            new ObservedNode("q2", NodeState.NORMAL, 0.2, 1, false),
            new ObservedNode("q3", NodeState.IDLE, 0, 1, false));
  }

  @Test
  void anImpostorWithTheNameOfANodeDoesNotCount() {
    Topology topology =
        Reports.topology(List.of(ALERT), Reports.registered("q1", NodeStatus.ACTIVE));
    QueueNodeReport real = Reports.report("q1", NodeState.IDLE, 0, 1);
    QueueNodeReport impostor =
        new QueueNodeReport(
            new UUID(6, 6), "q1", real.address(), real.load(), 9, 9, List.of(), null);
    assertThat(SnapshotMaker.of(topology, Map.of("q1", impostor)).nodes()).isEmpty();
  }

  @Test
  void loadPerPointIsTheQueuesTotalLoadDividedByTheWeightThatCausedIt() {
    Topology topology =
        Reports.topology(
            List.of(ALERT, new QueueWeights("quiet", 1, Map.of("q1", 1000))),
            Reports.registered("q1", NodeStatus.ACTIVE),
            Reports.registered("q2", NodeStatus.ACTIVE));
    BalancingSnapshot snapshot =
        SnapshotMaker.of(
            topology,
            Map.of(
                "q1",
                    Reports.report(
                        "q1", NodeState.BUSY, 0.6, 2, Reports.segment("q1", "alert", 500, 0.5)),
                "q2",
                    Reports.report(
                        "q2", NodeState.NORMAL, 0.4, 1, Reports.segment("q2", "alert", 400, 1))));
    ObservedQueue alert = snapshot.queues().get(0);
    assertThat(alert.name()).isEqualTo("alert");
    assertThat(alert.version()).isEqualTo(4);
    assertThat(alert.points()).isEqualTo(ALERT.points());
    assertThat(alert.minSegments()).isEqualTo(3);
    // (0.6 * 2 * 0.5 + 0.4 * 1 * 1) over the 900 points that the nodes followed.
    assertThat(alert.loadPerPoint()).isEqualTo(1.0 / 900, within(1e-12));
    assertThat(snapshot.queues().get(1).loadPerPoint()).isNaN();
  }
}
