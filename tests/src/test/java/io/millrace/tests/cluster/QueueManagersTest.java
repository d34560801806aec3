package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.NodeStatus;
import io.millrace.api.event.EventMedia;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeCommand;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every segment with weight has exactly one queue manager, also after one is cancelled or lost. */
class QueueManagersTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String WORKER =
      "pacing: {tick: 200ms}, worker: {command: [sh, -c, 'cat > /dev/null']}";

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Test
  void eachSegmentWithWeightAlwaysHasExactlyOneQueueManager() {
    define("steady");
    await().atMost(SOON).untilAsserted(() -> assertOneForEachSegment("steady"));
    await("still so")
        .during(Duration.ofSeconds(3))
        .atMost(SOON)
        .untilAsserted(() -> assertOneForEachSegment("steady"));
    assertThat(CLUSTER.central().jobs("kind=manager&queue=steady&limit=50").jobs())
        .as("all managers so far")
        .hasSize(2);
  }

  @Test
  void aCancelledQueueManagerIsReplacedAndItsSegmentDrains() {
    define("cancelled");
    await().atMost(SOON).untilAsserted(() -> assertOneForEachSegment("cancelled"));
    JobView before = managerOf("cancelled", "q1");
    CLUSTER.central(Role.OPERATOR).cancel(before.id());

    await("another manager of the segment")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertOneForEachSegment("cancelled");
              JobView now = managerOf("cancelled", "q1");
              assertThat(new AttemptId(now.id(), now.attempt()))
                  .isNotEqualTo(new AttemptId(before.id(), before.attempt()));
            });
    assertDrains("cancelled");
  }

  @Test
  void aQueueManagerWhoseAttemptIsLostIsRestarted() {
    define("lost");
    await().atMost(SOON).untilAsserted(() -> assertOneForEachSegment("lost"));
    JobView before = managerOf("lost", "q2");
    AttemptReport lost =
        AttemptReport.ended(
            new AttemptId(before.id(), before.attempt()),
            AttemptResult.lost("no trace of its end was found"),
            1,
            0);
    ExecutionNodeView node = node(before.node());
    assertThat(
            CLUSTER.as(node.name()).report(node.id(), new ReportRequest(List.of(lost))).refused())
        .isEmpty();

    await("the next attempt of the segment's manager")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertOneForEachSegment("lost");
              assertThat(managerOf("lost", "q2").attempt()).isGreaterThan(before.attempt());
            });
    assertDrains("lost");
  }

  @Test
  void theQueueManagersOfANodeThatIsDrainedWithoutADeadlineMoveSoThatItIsDrained() {
    define("moved");
    await().atMost(SOON).untilAsserted(() -> assertOneForEachSegment("moved"));
    String drained = managerOf("moved", "q1").node();
    CLUSTER.central(Role.OPERATOR).drainExecution(drained, new NodeCommand(null, "new disk"));
    try {
      await("nothing is left on it")
          .atMost(SOON)
          .untilAsserted(() -> assertThat(node(drained).status()).isEqualTo(NodeStatus.DRAINED));
      await("they run on the other node")
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertOneForEachSegment("moved");
                assertThat(CLUSTER.central().queue("moved").managers())
                    .extracting(JobView::node)
                    .doesNotContain(drained);
              });
    } finally {
      CLUSTER.central(Role.OPERATOR).undrainExecution(drained);
    }
    assertDrains("moved");
  }

  @Test
  void aQueueWithoutAWorkerHasNoQueueManager() {
    CLUSTER.define("{kind: queue, name: outside}");
    // The managers of the next definition show that the supervising duty has also processed this
    // one.
    define("inside");
    await().atMost(SOON).untilAsserted(() -> assertOneForEachSegment("inside"));
    assertThat(CLUSTER.central().queue("outside").managers()).isEmpty();
    assertThat(CLUSTER.central().jobs("kind=manager&queue=outside&limit=50").jobs()).isEmpty();
  }

  private static void define(String queue) {
    CLUSTER.define("{kind: queue, name: " + queue + ", " + WORKER + "}");
  }

  private static void assertOneForEachSegment(String queue) {
    List<JobView> managers = CLUSTER.central().queue(queue).managers();
    assertThat(managers)
        .extracting(JobView::segmentNode)
        .containsExactlyInAnyOrderElementsOf(CLUSTER.view(queue).weights().keySet())
        .containsExactlyInAnyOrder("q1", "q2");
    assertThat(managers).extracting(JobView::state).containsOnly(JobState.RUNNING);
  }

  private static JobView managerOf(String queue, String node) {
    return CLUSTER.central().queue(queue).managers().stream()
        .filter(job -> job.segmentNode().equals(node))
        .findFirst()
        .orElseThrow();
  }

  private static ExecutionNodeView node(String name) {
    return CLUSTER.central().overview().executionNodes().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void assertDrains(String queue) {
    for (int batch = 0; batch < 10; batch++) {
      CLUSTER
          .producer()
          .send(queue, "b" + batch, EventMedia.JSON, "[1,2]".getBytes(StandardCharsets.UTF_8));
    }
    await(queue + " drains")
        .atMost(SOON)
        .untilAsserted(() -> assertThat(CLUSTER.view(queue).acknowledged()).isEqualTo(20));
  }
}
