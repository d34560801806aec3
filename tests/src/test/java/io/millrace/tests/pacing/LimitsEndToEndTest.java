package io.millrace.tests.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits that operators set apply to real workers, and the record of decisions can be exported. */
@Tag("drill")
class LimitsEndToEndTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Test
  void aTemporaryLimitExpiresAndTheDefinitionAppliesAgain() throws Exception {
    PacedQueue queue = define("lent", 1, "maxWorkers: 2", 0.5);
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 1, 60);
    await("as many as defined").atMost(SOON).until(() -> queue.outstanding() == 2);
    Instant until =
        CLUSTER
            .central(Role.OPERATOR)
            .override(queue.name(), new OverrideRequest(8, null, Duration.ofSeconds(3), "rush"))
            .until();
    await("as many as set").atMost(SOON).until(() -> queue.outstanding() > 2);
    assertThat(queue.view().override().words()).contains("maxWorkers 8").contains("rush");

    await("the override has ended").atMost(SOON).until(() -> queue.view().override() == null);
    await("as many as defined again").atMost(SOON).until(() -> queue.outstanding() <= 2);
    queue.awaitDone(sent.size());
    List<JobView> workers = queue.workers();
    assertThat(maxConcurrent(workers, any -> true)).isBetween(3L, 8L);
    // Workers submitted before the end may still run briefly after it.
    List<JobView> afterwards =
        workers.stream().filter(job -> job.submittedAt().isAfter(until)).toList();
    assertThat(maxConcurrent(afterwards, any -> true))
        .as("concurrent workers afterwards")
        .isBetween(1L, 2L);
  }

  @Test
  void noMoreWorkersThanAllowedRunOnOneExecutionNode() throws Exception {
    PacedQueue queue = define("spread", 1, "maxWorkers: 20, maxPerNode: 2", 0.3);
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 1, 24);
    queue.awaitDone(sent.size());
    List<JobView> workers = queue.workers();
    for (String node : List.of("e1", "e2")) {
      assertThat(maxConcurrent(workers, job -> job.node().equals(node)))
          .as("concurrent workers on " + node)
          .isBetween(1L, 2L);
    }
  }

  @Test
  void workersAreStartedAtNoMoreThanTheAllowedEventRate() throws Exception {
    PacedQueue queue = define("gentle", 2, "maxEventsPerSecond: 20", 0);
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 15, 10);
    queue.awaitDone(sent.size());
    List<Instant> starts = queue.workers().stream().map(JobView::submittedAt).sorted().toList();
    Duration took = Duration.between(starts.get(0), starts.get(starts.size() - 1));
    // Each of two segments may start with two ticks of its share, or one worker.
    double allowed = 20 * (took.toMillis() / 1e3 + 0.4) + 4;
    assertThat((double) sent.size()).isLessThanOrEqualTo(allowed + 4);
    assertThat(queue.decisions()).extracting(PacingDecisionView::gate).contains("MAX_RATE");
  }

  @Test
  void theDecisionRecordIsExportedCompletelyInEveryFormat() throws Exception {
    PacedQueue queue = define("recorded", 5, "maxWorkers: 3", 0.1);
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 10, 5);
    queue.awaitDone(sent.size());
    List<PacingDecisionView> shown = queue.decisions();
    int runs = queue.workers().size();

    JsonNode array = Json.read(export(queue, "json"), JsonNode.class);
    Map<Instant, JsonNode> byTime =
        StreamSupport.stream(array.spliterator(), false)
            .collect(
                Collectors.toMap(
                    one -> Instant.parse(one.get("at").asText()), one -> one, (a, b) -> a));
    assertThat(byTime.keySet())
        .containsAll(shown.stream().map(PacingDecisionView::at).collect(Collectors.toSet()));
    assertThat(
            StreamSupport.stream(array.spliterator(), false)
                .mapToInt(one -> one.get("start").asInt())
                .sum())
        .as("workers in the record")
        .isEqualTo(runs);

    List<String> lines = export(queue, "ndjson").lines().toList();
    assertThat(lines).hasSizeGreaterThanOrEqualTo(array.size());
    assertThat(lines).allSatisfy(line -> Json.read(line, JsonNode.class));

    List<String> table = export(queue, "csv").lines().toList();
    assertThat(table.get(0))
        .startsWith("at,node,attempt,start,policy,gate,reason,")
        .contains("waiting");
    assertThat(table).hasSizeGreaterThan(array.size());
    assertThat(table.stream().skip(1).mapToInt(LimitsEndToEndTest::start).sum()).isEqualTo(runs);
  }

  private static int start(String line) {
    return Integer.parseInt(line.split(",", 5)[3]);
  }

  private static String export(PacedQueue queue, String format) {
    return CLUSTER
        .api(CLUSTER.address(), Role.VIEWER)
        .get("/v1/queues/" + queue.name() + "/decisions/export?format=" + format)
        .text();
  }

  private static PacedQueue define(String name, int batch, String limits, double runSeconds)
      throws IOException {
    CLUSTER.define(
        """
        kind: queue
        name: %s
        batch: %d
        pacing: {tick: 200ms, waitTarget: 500ms, %s}
        worker: {command: %s}
        """
            .formatted(name, batch, limits, new Results(CLUSTER.folder(name)).worker(runSeconds)));
    return new PacedQueue(CLUSTER.central(), name);
  }

  /** The maximum number of these jobs that ran at the same moment. */
  private static long maxConcurrent(List<JobView> jobs, Predicate<JobView> counted) {
    List<JobView> ran =
        jobs.stream()
            .filter(job -> job.state() == JobState.SUCCEEDED && job.startedAt() != null)
            .filter(counted)
            .toList();
    List<Long> most =
        ran.stream()
            .map(
                one ->
                    ran.stream()
                        .filter(other -> !other.startedAt().isAfter(one.startedAt()))
                        .filter(other -> other.endedAt().isAfter(one.startedAt()))
                        .count())
            .toList();
    return most.isEmpty() ? 0 : Collections.max(most);
  }
}
