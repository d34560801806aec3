package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.Json;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Looking into a queue, pausing it, emptying it, and where its weight is. */
class QueueSteeringTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void peekShowsEventsWithoutLeasingThem() {
    cluster.answering(
        "GET /v1/queues/alert/peek?limit=5&state=delayed",
        List.of(
            new PeekedEvent(
                "e1", "alert", "q1", "delayed", 3, 12, 48, 1, 0, null, new TextNode("hello"), null),
            new PeekedEvent("e2", "alert", "q1", "delayed", 3, 12, 48, 1, 0, null, null, 900_000)));

    assertThat(run.run("queue", "peek", "alert", "--limit", "5", "--state", "delayed")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            ID  NODE  STATE    ENDS IN  PRIORITY    AGE  DELIVERED  FAILED  DATA
            e1  q1    delayed    48.0s         3  12.0s          1       0  "hello"
            e2  q1    delayed    48.0s         3  12.0s          1       0  (900000 bytes, not shown)
            """);
  }

  @Test
  void theIdOfAnEventIsShownWholeSoThatItCanBePasted() {
    String id = "order-".repeat(33);
    cluster.answering(
        "GET /v1/queues/alert/peek?limit=20",
        List.of(new PeekedEvent(id, "alert", "q1", "ready", 3, 12, 0, 1, 0, null, null, 9)));
    run.run("queue", "peek", "alert");
    assertThat(run.output()).contains("\n" + id + "  q1 ");
  }

  @Test
  void pauseWithoutOptionsPausesBoth() {
    QueueControl control =
        new QueueControl("alert", true, true, "ann", CommandRun.NOW, "bad deploy");
    cluster.answering("POST /v1/queues/alert/pause", control);

    assertThat(run.run("queue", "pause", "alert", "--reason", "bad deploy")).isZero();

    assertThat(pauseRequest()).isEqualTo(new PauseRequest(true, true, "bad deploy"));
    assertThat(run.output())
        .isEqualTo("queue alert: sending and consuming paused by ann: bad deploy\n");
  }

  @Test
  void sendingAndConsumingCanBePausedSeparately() {
    QueueControl paused = new QueueControl("alert", false, true, null, null, null);
    cluster.answering("POST /v1/queues/alert/pause", paused);
    run.run("queue", "pause", "alert", "--consuming");
    assertThat(pauseRequest()).isEqualTo(new PauseRequest(false, true, null));

    shows(paused, null);
    QueueControl resumed = new QueueControl("alert", false, false, null, null, null);
    cluster.answering("POST /v1/queues/alert/resume", resumed);
    run.run("queue", "resume", "alert", "--consuming");
    assertThat(pauseRequest()).isEqualTo(new PauseRequest(false, true, null));
    assertThat(run.output())
        .contains("consuming paused")
        .contains("queue alert: consuming resumed");
  }

  @Test
  void resumingSaysWhatHasChangedAndWhatIsStillPaused() {
    QueueControl both = new QueueControl("alert", true, true, "ann", CommandRun.NOW, null);
    QueueControl sending = new QueueControl("alert", true, false, "ann", CommandRun.NOW, null);
    QueueControl nothing = new QueueControl("alert", false, false, "ann", CommandRun.NOW, null);

    resuming(both, nothing);
    resuming(both, sending, "--consuming");
    resuming(sending, sending, "--consuming");
    resuming(null, nothing, "--sending");
    resuming(null, nothing);

    assertThat(run.output().lines())
        .containsExactly(
            "queue alert: sending and consuming resumed",
            "queue alert: consuming resumed; sending paused by ann",
            "queue alert: consuming was not paused; sending paused by ann",
            "queue alert: sending was not paused",
            "queue alert: was not paused");
  }

  private void resuming(QueueControl before, QueueControl after, String... options) {
    shows(before, null);
    cluster.answering("POST /v1/queues/alert/resume", after);
    List<String> arguments = new ArrayList<>(List.of("queue", "resume", "alert"));
    arguments.addAll(List.of(options));
    assertThat(run.run(arguments.toArray(String[]::new))).isZero();
  }

  @Test
  void removingAnOverrideSaysWhetherThereWasOne() {
    cluster.answering("DELETE /v1/queues/alert/override", Map.of());
    shows(
        null,
        new PacingOverride(
            "alert",
            80,
            null,
            CommandRun.NOW.plusSeconds(60),
            "ann",
            CommandRun.NOW,
            null,
            null,
            null,
            null,
            null));
    run.run("queue", "unset", "alert");
    shows(null, null);
    run.run("queue", "unset", "alert");
    assertThat(run.output()).isEqualTo("alert: override removed\nalert: had no override\n");
  }

  private void shows(QueueControl control, PacingOverride override) {
    QueueView queue =
        control == null
            ? Samples.held("alert", null, override)
            : Samples.stuck("alert", control, 0, 0);
    QueueDefinition definition = Json.read("{\"name\":\"alert\"}", QueueDefinition.class);
    cluster.answering(
        "GET /v1/queues/alert",
        new QueueDetails(queue, definition, List.of(), List.of(), List.of(), null));
  }

  @Test
  void purgeIsConfirmedWithTheNameOfTheQueue() {
    cluster.answering("POST /v1/queues/alert/purge", new QueueActionAnswer(5_000, List.of()));

    assertThat(run.run("queue", "purge", "alert")).as("nobody to ask").isEqualTo(2);
    assertThat(run.onTerminal().reading("no\n").run("queue", "purge", "alert")).isEqualTo(2);
    assertThat(cluster.asked()).isEmpty();

    assertThat(run.reading("alert\n").run("queue", "purge", "alert")).isZero();
    assertThat(run.messages()).contains("deletes all waiting and delayed events of queue alert");
    assertThat(Json.read(cluster.last().body(), PurgeRequest.class))
        .isEqualTo(new PurgeRequest("alert", true, true, false));
    assertThat(run.output()).isEqualTo("5,000 events deleted\n");
  }

  @Test
  void purgeDeletesOnlyTheSelectedKinds() {
    cluster.answering("POST /v1/queues/alert/purge", new QueueActionAnswer(1, List.of()));
    assertThat(run.run("queue", "purge", "alert", "--dead", "--yes")).isZero();
    assertThat(Json.read(cluster.last().body(), PurgeRequest.class))
        .isEqualTo(new PurgeRequest("alert", false, false, true));
  }

  @Test
  void weightsAreShownNowAndOverTime() {
    cluster.answering(
        "GET /v1/queues/alert/weights?minutes=60",
        new WeightsView(
            new QueueWeights("alert", 8, Map.of("q1", 320, "q2", 680)),
            List.of(
                change(7, Map.of("q1", 500, "q2", 500), BalancingKind.FIRST, null),
                change(8, Map.of("q1", 320, "q2", 680), BalancingKind.SHED, "q1 is TOOBUSY"))));

    run.run("queue", "weights", "alert");
    run.run("queue", "weights", "alert", "--history");

    assertThat(run.output())
        .isEqualTo(
            """
            NODE  POINTS
            q1       320
            q2       680
            VERSION  AGO  KIND   POINTS         REASON
                  8   1m  shed   q1:320 q2:680  q1 is TOOBUSY
                  7   1m  first  q1:500 q2:500
            """);
  }

  @Test
  void decisionsShowMovesAndReasons() {
    cluster.answering(
        "GET /v1/balancing/decisions?limit=20&queue=alert",
        List.of(
            new BalancingDecisionView(
                CommandRun.NOW.minusSeconds(30),
                new UUID(0, 1),
                "q3",
                BalancingKind.SCALE_IN,
                "measured",
                List.of(new WeightMove("alert", 7, "q3", "q1", 180)),
                "q3 is not needed",
                null)));

    run.run("queue", "decisions", "alert");

    assertThat(run.output())
        .isEqualTo(
            """
            AGO  BY  KIND      POLICY    MOVED               REASON
            30s  q3  scale-in  measured  180 of alert q3>q1  q3 is not needed
            """);
  }

  private PauseRequest pauseRequest() {
    return Json.read(cluster.last().body(), PauseRequest.class);
  }

  private static WeightChange change(
      long version, Map<String, Integer> points, BalancingKind kind, String reason) {
    return new WeightChange(
        "alert", version, CommandRun.NOW.minusSeconds(60), points, kind, reason);
  }
}
