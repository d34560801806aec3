package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.event.EventMedia;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.queue.QueueNodeView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue node whose identity is withdrawn while it runs gets nothing more. */
class WithdrawnQueueNodeTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  // A node that is only silent is lost after its lease and this grace period.
  private static final double GRACE_SECONDS = 30;

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(2, 1, 4);

  @Test
  void itsWeightMovesAndNoEventIsSentToItWithoutWaitingForItsSilence() {
    CLUSTER.define("{kind: queue, name: alert, minSegments: 2}");
    send("before", 20);
    // Other queues of the cluster may have events there whose workers are about to acknowledge
    // them.
    Awaitility.await("it has reported events of this queue")
        .atMost(SOON)
        .until(
            () ->
                onQ2().segments().stream()
                    .anyMatch(one -> one.queue().equals("alert") && one.unfinished() > 0));

    CLUSTER.central().withdrawIdentity("q2");

    Awaitility.await("its points are on the other node")
        .atMost(SOON)
        .untilAsserted(() -> assertThat(CLUSTER.view("alert").weights()).containsOnlyKeys("q1"));
    QueueNodeView withdrawn = onQ2();
    assertThat(withdrawn.silentSeconds()).isLessThan(GRACE_SECONDS);
    assertThat(withdrawn.status()).isEqualTo(NodeStatus.LOST);
    assertThat(withdrawn.withdrawn()).isTrue();
    assertThat(CLUSTER.central().problems())
        .extracting(Alert::code)
        .contains("NODE_LOST", "SILENT_NODE_EVENTS");
    Awaitility.await("the load balancer sends to the other node only")
        .atMost(SOON)
        .until(() -> send("after", 10) == 10);
  }

  private static QueueNodeView onQ2() {
    return CLUSTER.central().overview().queueNodes().stream()
        .filter(node -> node.name().equals("q2"))
        .findFirst()
        .orElseThrow();
  }

  /** Sends events one at a time; how many q1 has stored. */
  private static int send(String prefix, int events) {
    int first = 0;
    for (int i = 0; i < events; i++) {
      byte[] body = ("{\"name\":\"" + prefix + "\"}").getBytes(StandardCharsets.UTF_8);
      String batch = UUID.randomUUID().toString();
      String node = CLUSTER.producer().send("alert", batch, EventMedia.JSON, body).node();
      first += node.equals("q1") ? 1 : 0;
    }
    return first;
  }
}
