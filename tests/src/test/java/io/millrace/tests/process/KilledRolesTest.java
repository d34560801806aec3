package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** kill -9 of the process of one role while the other roles continue. */
@Tag("drill")
class KilledRolesTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  @RegisterExtension static final SeparateRoles ROLES = new SeparateRoles();

  @Test
  void queueManagersOfAKilledExecutionNodeRestartOnTheOtherAndTheirSegmentsDrain()
      throws Exception {
    Path results = ROLES.folder("drained");
    ROLES.define(
        "drained",
        """
        kind: queue
        name: drained
        batch: 5
        lease: 3s
        pacing: {tick: 500ms, waitTarget: 1s}
        worker:
          command: ["sh", "-c", "cat > $1/.$MILLRACE_ATTEMPT && sleep 0.1 && mv $1/.$MILLRACE_ATTEMPT $1/$MILLRACE_ATTEMPT", "worker", "%s"]
        """
            .formatted(results));
    await("both managers run").atMost(LONG).until(() -> running(managers("drained")) == 2);
    Set<String> sent = new HashSet<>(send("drained", "before", 10));

    String killed = managers("drained").get(0).node();
    String survivor = killed.equals("e1") ? "e2" : "e1";
    long began = System.nanoTime();
    ROLES.kill(killed);
    sent.addAll(send("drained", "after", 10));
    await("both managers run on " + survivor)
        .atMost(LONG)
        .until(
            () ->
                managers("drained").stream()
                        .filter(job -> job.state() == JobState.RUNNING)
                        .filter(job -> job.node().equals(survivor))
                        .count()
                    == 2);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.printf("queue managers ran elsewhere %.1f s after kill -9 of their node%n", seconds);

    await("every event is acknowledged")
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(ROLES.view("drained").acknowledged()).isEqualTo(sent.size()));
    assertThat(ids(results)).isEqualTo(sent);

    ROLES.start(killed);
    ROLES.awaitEveryNode();
    assertThat(managers("drained")).as("still one manager for each segment").hasSize(2);
  }

  @Test
  void aRestartedQueueNodeHasLostNoAcknowledgedEvent() throws Exception {
    ROLES.define("kept", "{kind: queue, name: kept}");
    Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    CountDownLatch underWay = new CountDownLatch(100);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> sending =
          thread.submit(
              () -> {
                for (int batch = 0; batch < 300; batch++) {
                  try {
                    acknowledged.addAll(sendOne("kept", "batch" + batch, 5));
                  } catch (MillraceException unknown) {
                    // Not acknowledged, so it may be lost.
                    assertThat(unknown.code().status()).isGreaterThanOrEqualTo(500);
                  }
                  underWay.countDown();
                }
              });
      assertThat(underWay.await(60, TimeUnit.SECONDS)).isTrue();
      ROLES.kill("q1");
      sending.get(60, TimeUnit.SECONDS);
    } finally {
      thread.shutdownNow();
    }
    ROLES.start("q1");
    ROLES.awaitEveryNode();
    assertThat(ROLES.queueNode("q1").figures("kept").waiting()).as("events on q1").isPositive();

    Set<String> found = new HashSet<>(drain("q1", "kept"));
    found.addAll(drain("q2", "kept"));
    System.out.printf(
        "%d events acknowledged around kill -9 of a queue node, %d found%n",
        acknowledged.size(), found.size());
    assertThat(acknowledged).hasSizeGreaterThan(500);
    assertThat(found).containsAll(acknowledged);
  }

  private static List<JobView> managers(String queue) {
    return ROLES.central().queue(queue).managers();
  }

  private static long running(List<JobView> jobs) {
    return jobs.stream().filter(job -> job.state() == JobState.RUNNING).count();
  }

  private static List<String> send(String queue, String name, int batches) {
    return IntStream.range(0, batches)
        .boxed()
        .flatMap(batch -> sendOne(queue, name + batch, 5).stream())
        .toList();
  }

  private static List<String> sendOne(String queue, String batch, int events) {
    String body = IntStream.range(0, events).mapToObj(n -> n + "\n").collect(Collectors.joining());
    SendAnswer answer =
        ROLES
            .producer()
            .send(queue, batch, EventMedia.LINES, body.getBytes(StandardCharsets.UTF_8));
    return IntStream.range(0, answer.accepted()).mapToObj(n -> batch + "-" + n).toList();
  }

  /** Leases everything that waits on a node; returns the events' ids. */
  private static Set<String> drain(String node, String queue) {
    Set<String> ids = new HashSet<>();
    for (Lease lease = lease(node, queue); !lease.events().isEmpty(); lease = lease(node, queue)) {
      lease.events().forEach(event -> ids.add(event.id()));
      List<String> receipts = lease.events().stream().map(DeliveredEvent::receipt).toList();
      ROLES.queueNode(node).acknowledge(queue, new Acknowledgement(receipts));
    }
    return ids;
  }

  private static Lease lease(String node, String queue) {
    return ROLES.queueNode(node).lease(queue, new LeaseRequest(1000, null, null, "test"));
  }

  private static Set<String> ids(Path results) throws IOException {
    return Folders.lines(results).stream()
        .map(line -> Json.read(line, JsonNode.class).get("id").asText())
        .collect(Collectors.toSet());
  }
}
