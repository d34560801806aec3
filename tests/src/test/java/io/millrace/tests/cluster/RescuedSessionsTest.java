package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.EventMedia;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.queuenode.rescue.ClusterSlotOwners;
import io.millrace.queuenode.rescue.SessionRescue;
import io.millrace.queuenode.rescue.SessionRescue.RescueWatch;
import io.millrace.queuenode.rescue.SessionRescue.RescuedSessions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The sessions of a node whose identity was withdrawn are rescued from a copy of its disk. */
class RescuedSessionsTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String QUEUE = "orders";

  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(2, 1, 4);

  @TempDir Path disk;

  /** Counts slots. */
  private static final class Sent implements RescueWatch {
    private final AtomicInteger slots = new AtomicInteger();

    @Override
    public void sent(String queue, int sent, int found) {
      slots.set(sent);
    }

    @Override
    public void waits(String reason) {
      assertThat(reason).isNotEmpty();
    }
  }

  @Test
  void theirSlotsWaitForNobodyAnyMoreAndTheEventsAreInOrder() throws Exception {
    CLUSTER.define("{kind: queue, name: orders, minSegments: 2, sessions: {key: /order}}");
    Awaitility.await("both nodes have slots")
        .atMost(SOON)
        .until(() -> slots() != null && slots().points().size() == 2);
    String key =
        IntStream.range(0, 10_000)
            .mapToObj(Integer::toString)
            .filter(one -> slots().owner(SessionKey.slot(one)).node().equals("q2"))
            .findFirst()
            .orElseThrow();
    send(key, "a");
    send(key, "b");
    copyTheDiskOf("q2");

    CLUSTER.central().withdrawIdentity("q2");
    Awaitility.await("its slots are on the other node, and wait")
        .atMost(SOON)
        .until(
            () ->
                slots().points().keySet().equals(Set.of("q1"))
                    && owner(key).undrained().contains("q2"));
    Awaitility.await("the new owner takes events")
        .atMost(SOON)
        .ignoreExceptions()
        .until(
            () -> {
              send(key, "c");
              return true;
            });

    // The overview, by which a rescue decides, may be a second old.
    Awaitility.await("it is shown as lost")
        .atMost(SOON)
        .until(
            () ->
                CLUSTER.central().overview().queueNodes().stream()
                    .anyMatch(node -> node.name().equals("q2") && node.lost()));

    Sent sent = new Sent();
    List<RescuedSessions> rescued =
        new SessionRescue(
                disk,
                new ClusterSlotOwners(CLUSTER::central),
                Duration.ofMinutes(1),
                sent,
                new SystemClock())
            .run();

    assertThat(rescued)
        .singleElement()
        .matches(queue -> queue.trouble() == null, "without trouble");
    assertThat(rescued.get(0).sent()).isEqualTo(2);
    assertThat(sent.slots.get()).isEqualTo(rescued.get(0).slots());
    Awaitility.await("the row names nobody who owes events")
        .atMost(SOON)
        .until(() -> slots().ranges().stream().allMatch(one -> one.owner().undrained().isEmpty()));
    assertThat(CLUSTER.central().sessions().session(QUEUE, key).events())
        .extracting(event -> event.data().get("step").asText())
        .containsExactly("a", "b", "c");
  }

  private static SlotOwner owner(String key) {
    return slots().owner(SessionKey.slot(key));
  }

  private static SlotTable slots() {
    return CLUSTER.central().topology(null, Duration.ZERO).orElseThrow().weights().stream()
        .filter(row -> row.queue().equals(QUEUE))
        .findFirst()
        .map(row -> row.slots())
        .orElse(null);
  }

  private static void send(String key, String step) {
    byte[] body =
        ("{\"order\":\"" + key + "\",\"step\":\"" + step + "\"}").getBytes(StandardCharsets.UTF_8);
    CLUSTER.producer().send(QUEUE, "batch-" + step, EventMedia.JSON, body);
  }

  /** What is on its disk when the host dies. */
  private void copyTheDiskOf(String node) throws IOException {
    UUID id =
        CLUSTER.central().overview().queueNodes().stream()
            .filter(one -> one.name().equals(node))
            .map(QueueNodeView::id)
            .findFirst()
            .orElseThrow();
    NodeIdFile.ensure(disk, id);
    Path copy = Files.createDirectories(disk.resolve("sessions"));
    try (Stream<Path> files = Files.list(CLUSTER.dataDirectory(node).resolve("sessions"))) {
      for (Path file : files.filter(one -> !one.endsWith("lock")).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
  }
}
