package io.millrace.tests.drill.deletion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.event.EventMedia;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Queues that are drained and deleted while the central manager that carries the deletion out is
 * killed or frozen: the other one finishes it, no event that was accepted is lost, and a queue that
 * is created again under the name is not deleted with it.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class KilledDeletionDrillTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Several rounds of the duty that carries deletions out. */
  private static final Duration ROUNDS = Duration.ofSeconds(5);

  private static final int EVENTS = 60;

  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static DrillCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Distribution.assumeBuilt();
    SharedDatabase database = SharedDatabase.of(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
    cluster =
        new DrillCluster(
            new Shape(2, 2, 1, 1, Optional.of(database)),
            new SplittableRandom(),
            Clocks.real(),
            name -> {});
    cluster.start();
  }

  @AfterAll
  static void close() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void anotherManagerFinishesADeletionWhoseManagerIsKilledWhileWorkersDrain() throws Exception {
    Path results = fill("drained");
    drain("drained");
    await("some events are processed").atMost(LONG).until(() -> !processed(results).isEmpty());
    String killed = worker();
    cluster.kill(killed);
    assertThat(state("drained")).as("when it was killed").isEqualTo("DELETING");
    assertThat(processed(results)).as("events drained before the kill").hasSizeLessThan(EVENTS);

    finished("drained", results, other(killed));
    cluster.restart(killed);
    stays("drained");
  }

  @Test
  void anotherManagerFinishesADeletionWhoseManagerIsKilledAfterTheSegmentsAreGone()
      throws Exception {
    Path results = fill("ending");
    drain("ending");
    String killed = awaitEnding("ending");
    cluster.kill(killed);
    assertThat(state("ending")).as("when it was killed").isEqualTo("ENDING");

    finished("ending", results, other(killed));
    cluster.restart(killed);
    stays("ending");
  }

  @Test
  void aManagerThatWasFrozenInADeletionDoesNotDeleteTheQueueThatWasCreatedAgain() throws Exception {
    Path results = fill("frozen");
    drain("frozen");
    String frozen = awaitEnding("frozen");
    cluster.freeze(frozen);
    try {
      assertThat(state("frozen")).as("when it was frozen").isEqualTo("ENDING");
      finished("frozen", results, other(frozen));
      create("frozen", other(frozen), Files.createDirectory(cluster.folder().resolve("again")));
    } finally {
      cluster.thaw(frozen);
    }
    stays("frozen");
  }

  /** A queue with events and slow workers; returns the folder with what they processed. */
  private static Path fill(String queue) throws Exception {
    cluster.awaitEverybody();
    Path results = Files.createDirectory(cluster.folder().resolve(queue));
    create(queue, "c1", results);
    for (int batch = 0; batch < EVENTS / 10; batch++) {
      send(queue, "b" + batch, 10);
    }
    return results;
  }

  private static void create(String queue, String manager, Path results) {
    String yaml =
        """
        kind: queue
        name: %s
        batch: 5
        minSegments: 2
        pacing: {tick: 500ms, waitTarget: 1s, maxWorkers: 2}
        worker:
          command: ["sh", "-c", "cat > $1/.$MILLRACE_ATTEMPT && sleep 1 && mv $1/.$MILLRACE_ATTEMPT $1/$MILLRACE_ATTEMPT", "worker", "%s"]
        """
            .formatted(queue, results);
    cluster
        .central(manager)
        .apply(new ApplyRequest(List.of(new SourceFile(queue + ".yaml", yaml)), false));
  }

  private static void send(String queue, String batch, int count) {
    String body =
        IntStream.range(0, count)
            .mapToObj(number -> "\"%s-%d\"".formatted(batch, number))
            .collect(Collectors.joining("\n"));
    QueueClient producer = new QueueClient(cluster.admin("lb1"));
    await("queue " + queue + " accepts events")
        .atMost(LONG)
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .until(
            () ->
                producer
                        .send(queue, batch, EventMedia.LINES, body.getBytes(StandardCharsets.UTF_8))
                        .accepted()
                    == count);
  }

  private static void drain(String queue) {
    cluster.central("c1").delete("queue", queue, new DeletionRequest(DeletionMode.DRAIN, false));
  }

  /**
   * Waits until the segments are gone and workers and managers are being ended; returns by whom.
   * The managers end in a later round than the one that begins this state.
   */
  private static String awaitEnding(String queue) {
    await("the deletion of " + queue + " is ending")
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> state(queue).equals("ENDING"));
    return worker();
  }

  /** The other one has finished: every event was processed, and no node has a segment. */
  private static void finished(String queue, Path results, String manager) throws IOException {
    CentralClient central = cluster.central(manager);
    await("the deletion of " + queue + " is finished by " + manager)
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(state(queue)).isEqualTo("DELETED");
              assertThat(central.definitions()).noneMatch(one -> one.name().equals(queue));
              for (String node : List.of("q1", "q2")) {
                assertThat(cluster.node(node).figures())
                    .extracting(SegmentFigures::queue)
                    .doesNotContain(queue);
              }
            });
    assertThat(processed(results)).as("each event once").hasSize(EVENTS).doesNotHaveDuplicates();
    assertThat(central.definitionHistory("queue", queue)).hasSize(1);
  }

  /** A queue created again works and is still there after several rounds of the duty. */
  private static void stays(String queue) throws IOException {
    cluster.awaitEverybody();
    CentralClient central = cluster.central("c1");
    if (central.definitions().stream().noneMatch(one -> one.name().equals(queue))) {
      create(queue, "c1", Files.createDirectory(cluster.folder().resolve(queue + "-again")));
    }
    // Under the name of a batch of the earlier queue.
    send(queue, "b0", 5);
    await("the new events are processed")
        .atMost(LONG)
        .until(() -> central.queue(queue).queue().acknowledged() >= 5);
    await(queue + " stays")
        .during(ROUNDS)
        .atMost(ROUNDS.plus(LONG))
        .until(
            () ->
                central.definitions().stream().anyMatch(one -> one.name().equals(queue))
                    && !central.queue(queue).segments().isEmpty());
    assertThat(central.definitionHistory("queue", queue)).hasSize(2);
    assertThat(text("select count(*) from definition_deletion where name = '" + queue + "'"))
        .isEqualTo("1");
  }

  private static List<String> processed(Path results) throws IOException {
    return Folders.lines(results).stream()
        .map(line -> Json.read(line, JsonNode.class).get("data").asText())
        .toList();
  }

  /** The central manager that carries deletions out. */
  private static String worker() {
    return text("select claimant from claim where resource = 'delete-definitions'")
        .substring(0, "c1".length());
  }

  private static String other(String manager) {
    return manager.equals("c1") ? "c2" : "c1";
  }

  private static String state(String queue) {
    return text("select state from definition_deletion where name = '" + queue + "'");
  }

  private static String text(String sql) {
    try (Connection connection = SCHEMA.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
