package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What keeps a queue from the workers of its definition: an open breaker, limits for a while. */
class HeldBackTest {
  private static final BreakerView BREAKER =
      new BreakerView(
          "alert",
          CommandRun.NOW.minusSeconds(190),
          "10 of the last 20 runs failed, each on different events",
          2,
          1,
          3,
          CommandRun.NOW.plusSeconds(42),
          "worker 7.1 on e1, exit code 3: no such customer");
  private static final PacingOverride OVERRIDE =
      new PacingOverride(
          "alert",
          80,
          Duration.ofSeconds(30),
          CommandRun.NOW.plusSeconds(7_200),
          "ann",
          CommandRun.NOW,
          "month end",
          null,
          null,
          100,
          Duration.ofSeconds(5));

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aQueueIsShownWithItsBreakerTheProbesAndWhatToDo() {
    shows(Samples.held("alert", BREAKER, null));
    run.run("queue", "show", "alert");
    assertThat(run.output())
        .contains("breaker     open for 3m: 10 of the last 20 runs failed")
        .contains("last failure worker 7.1 on e1, exit code 3: no such customer")
        .contains("probes      2 started, 1 of 3 in a row succeeded, next in 42s")
        .contains("what to do  apply a corrected definition; the breaker closes");
  }

  @Test
  void anOverdueProbeIsDueNow() {
    BreakerView due =
        new BreakerView("alert", CommandRun.NOW, "10 of 20 failed", 0, 0, 3, null, null);
    shows(Samples.held("alert", due, null));
    run.run("queue", "show", "alert");
    assertThat(run.output()).contains("next due now").doesNotContain("last failure");
  }

  @Test
  void aQueueIsShownWithItsOverride() {
    shows(Samples.held("alert", null, OVERRIDE));
    run.run("queue", "show", "alert");
    assertThat(run.output())
        .contains(
            "override    maxWorkers 80 instead of 100 and waitTarget 30s instead of 5s set by ann"
                + " until 2026-03-01T14:00:00Z: month end");
  }

  @Test
  void jsonHasBreakerAndOverride() {
    shows(Samples.held("alert", BREAKER, OVERRIDE));
    run.run("queue", "show", "alert", "--json");
    QueueView queue = Json.read(run.output(), QueueDetails.class).queue();
    assertThat(queue.breaker()).isEqualTo(BREAKER);
    assertThat(queue.override()).isEqualTo(OVERRIDE);
  }

  @Test
  void theListShowsOpenBreakersAndOverrides() {
    cluster.answering(
        "GET /v1/overview",
        Samples.overview(
            true, Samples.held("broken", BREAKER, OVERRIDE), Samples.held("set", null, OVERRIDE)));
    run.run("queue", "list");
    assertThat(run.output().lines().skip(1))
        .satisfiesExactly(
            broken -> assertThat(broken).startsWith("broken").endsWith("breaker open"),
            set -> assertThat(set).startsWith("set").endsWith("limits overridden"));
  }

  @Test
  void theExplanationShowsEachDecisionWithItsGate() {
    PacingDecisionView decision =
        new PacingDecisionView(
            9,
            CommandRun.NOW.minusSeconds(4),
            "q1",
            new AttemptId(3, 1),
            0,
            "demand",
            "BREAKER_OPEN",
            "150 waiting → 3 full workers",
            Map.of("waiting", 150.0, "wanted", 3.0, "running", 0.0));
    PacingExplanation explanation =
        new PacingExplanation(
            "alert",
            CommandRun.NOW,
            List.of("only probes are started"),
            OVERRIDE,
            BREAKER,
            Map.of("BREAKER_OPEN", "its workers fail whatever they are given"),
            List.of(decision));
    cluster.answering("GET /v1/queues/alert/explanation?since=1h&limit=20", explanation);

    run.run("queue", "explain", "alert");
    assertThat(run.output())
        .startsWith("only probes are started\n")
        .contains("BREAKER_OPEN")
        .contains("150 waiting → 3 full workers");

    CommandRun asJson = new CommandRun(cluster);
    asJson.run("queue", "explain", "alert", "--json");
    assertThat(Json.read(asJson.output(), PacingExplanation.class)).isEqualTo(explanation);
  }

  private void shows(QueueView queue) {
    QueueDefinition definition = Json.read("{\"name\":\"alert\"}", QueueDefinition.class);
    cluster.answering(
        "GET /v1/queues/alert",
        new QueueDetails(queue, definition, List.of(), List.of(), List.of(), null));
  }
}
