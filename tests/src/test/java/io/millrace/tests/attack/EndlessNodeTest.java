package io.millrace.tests.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.CentralClient;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.tests.central.NodeClients;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node answers with far more than a central manager may hold: it is cut off and counts as not
 * reached. The answer has an end, so that a central manager without a bound would show it by
 * reading all of it, and not by its death ({@code AttackedClusterTest} sends answers without end).
 */
class EndlessNodeTest {
  private static final UUID ID = new UUID(66, 3);
  private static final long BYTES = 48L << 20;

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(1, 1, 4);

  @Test
  void theAnswerOfAQueueNodeIsCutOffAndTheOthersAreRead() throws Exception {
    Path tokens = CLUSTER.tokenFile(Role.ADMIN).getParent();
    AtomicLong sequence = new AtomicLong();
    CentralClient node =
        new NodeClients(tokens, new JdkTransport())
            .of(CLUSTER.address(), Role.QUEUE_NODE, "endless", ID);
    CLUSTER.define("{kind: queue, name: bait, minSegments: 1}");
    try (RogueServer rogue = new RogueServer(new NodeSigner(tokens), CLUSTER.address(), BYTES)) {
      Awaitility.await("an answer of the endless node")
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                node.report(report(rogue), new RequestNumber(1, sequence.incrementAndGet()));
                Listing<PeekedEvent> peeked = CLUSTER.central(Role.VIEWER).peek("bait", 10, null);
                assertThat(peeked.unreached()).doesNotContain("q1");
                return peeked.unreached().contains("endless") || rogue.complete() > 0;
              });
      Awaitility.await("the end of the answer")
          .atMost(Duration.ofSeconds(60))
          .until(() -> rogue.cutOff() + rogue.complete() == rogue.calls().size());
      assertThat(rogue.complete()).as("answers of %d bytes that were read", BYTES).isZero();
      assertThat(rogue.cutOff()).isPositive();
    }
    assertThat(CLUSTER.central(Role.VIEWER).overview().queueNodes()).isNotEmpty();
  }

  private static QueueNodeReport report(RogueServer rogue) {
    return new QueueNodeReport(
        ID,
        "endless",
        rogue.address(),
        new NodeLoad(NodeState.IDLE, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        CLUSTER.central().queue("bait").segments().stream()
            .filter(one -> one.queue().equals("bait"))
            .limit(1)
            .toList(),
        null);
  }
}
