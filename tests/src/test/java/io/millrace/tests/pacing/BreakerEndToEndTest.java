package io.millrace.tests.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.tests.cluster.Cluster;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bad deploy: its workers fail for every event until a good definition is applied. */
class BreakerEndToEndTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void aBadDeployReducesItsQueueToProbesAndCausesNoDeadLetters() throws Exception {
    PacedQueue queue = new PacedQueue(CLUSTER.central(), "deployed");
    Results results = new Results(CLUSTER.folder(queue.name()));
    apply(queue, "[sh, -c, 'echo no such library >&2; exit 1']");
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 30, 5);
    BreakerView breaker =
        await("the breaker opens")
            .atMost(SOON)
            .until(() -> queue.view().breaker(), opened -> opened != null);
    assertThat(breaker.reason()).contains("of the last 20 runs failed");
    await("a probe has failed too")
        .atMost(SOON)
        .until(() -> queue.view().breaker(), open -> open != null && open.probes() >= 3);
    // Starts decided at that moment may still happen; after the first decision with an open breaker
    // there are only probes. That decision's record also counts the places that were refilled
    // before
    // it, so that it may show starts.
    Instant held =
        queue.decisions().stream()
            .filter(one -> one.gate().equals("BREAKER_OPEN"))
            .findFirst()
            .orElseThrow()
            .at();
    int open = queue.view().breaker().probes();
    int submitted = queue.workers(held, Instant.MAX).size();
    assertThat(submitted).as("workers submitted while it was open").isBetween(2, open + 1);

    apply(queue, results.worker(0.02));
    queue.awaitDone(sent.size());
    QueueView view = queue.view();
    assertThat(view.breaker()).isNull();
    assertThat(view.dead()).as("dead letters because of a bad deploy").isZero();
    assertThat(results.ids()).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void aBadDeployIsDetectedWithASingleWorker() throws Exception {
    PacedQueue queue = new PacedQueue(CLUSTER.central(), "thin");
    Results results = new Results(CLUSTER.folder(queue.name()));
    define(queue, 1, "maxWorkers: 1", "[sh, -c, 'exit 1']");
    Set<String> sent = Batches.send(CLUSTER.producer(), queue.name(), 1, 20);
    await("the breaker opens").atMost(SOON).until(() -> queue.view().breaker() != null);

    define(queue, 1, "maxWorkers: 4", results.worker(0.02));
    queue.awaitDone(sent.size());
    assertThat(queue.view().dead()).as("dead letters because of a bad deploy").isZero();
  }

  private static void apply(PacedQueue queue, String command) {
    define(queue, 5, "maxWorkers: 20", command);
  }

  private static void define(PacedQueue queue, int batch, String limit, String command) {
    CLUSTER.define(
        """
        kind: queue
        name: %s
        batch: %d
        maxAttempts: 2
        pacing: {tick: 200ms, waitTarget: 500ms, %s, breaker: {probeEvery: 1s}}
        worker: {command: %s}
        """
            .formatted(queue.name(), batch, limit, command));
  }
}
