package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRegistry.RegisteredNode;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class QueueProblemsTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:10:00Z");
  private static final NodeStatus ACTIVE = NodeStatus.ACTIVE;

  @Test
  void aHealthyClusterHasNoAlerts() {
    assertThat(alerts(node(true, false, 1, ACTIVE, null, segment("alert", 9, 3, null)))).isEmpty();
    assertThat(alerts(node(false, false, 20, ACTIVE, null, segment("alert", 0, 0, null))))
        .as("a silent node without events is no alert before it is lost")
        .isEmpty();
  }

  @Test
  void theEventsOfASilentNodeAreNamedWithTheirNumberAndTheirAge() {
    List<Alert> alerts =
        alerts(
            node(
                false,
                false,
                120,
                ACTIVE,
                null,
                segment("alert", 3_000, 180, null),
                segment("order", 0, 0, null),
                segment("push", 214, 10, null)));

    assertThat(alerts)
        .containsExactly(
            new Alert(
                    "SILENT_NODE_EVENTS",
                    "q2",
                    "q2 has been silent for 2m and holds 3,214 events of alert, push; oldest 5m: start it"
                        + " again, or run 'millrace queue-node rescue' on its data directory")
                .since(NOW.minusSeconds(120)));
  }

  @Test
  void aWithdrawnNodeIsNotToBeStartedAgain() {
    List<Alert> alerts =
        alerts(
            node(false, true, true, 1, NodeStatus.LOST, null, segment("alert", 3_000, 180, null)));

    assertThat(alerts)
        .containsExactly(
            new Alert(
                    "NODE_LOST",
                    "q2",
                    "the identity of q2 was withdrawn: its points move to live nodes. 'millrace node"
                        + " forget q2' removes it from the list")
                .since(NOW.minusSeconds(1)),
            new Alert(
                    "SILENT_NODE_EVENTS",
                    "q2",
                    "the identity of q2 was withdrawn while it held 3,000 events of alert, which are no"
                        + " longer delivered: stop it and run 'millrace queue-node rescue' on its data"
                        + " directory, or let the machine join again")
                .since(NOW.minusSeconds(1)));
  }

  @Test
  void aLostNodeIsASeparateAlert() {
    assertThat(alerts(node(false, true, 45, ACTIVE, null, segment("alert", 1, 1, null))))
        .extracting(Alert::code)
        .containsExactly("NODE_LOST", "SILENT_NODE_EVENTS");
  }

  @Test
  void aNodeInMaintenanceIsExpectedToBeSilent() {
    NodeStatus maintenance = NodeStatus.MAINTENANCE;
    assertThat(alerts(node(false, false, 45, maintenance, null, segment("alert", 1, 1, null))))
        .isEmpty();
  }

  @Test
  void aDrainedNodeMayBeStopped() {
    assertThat(alerts(node(false, true, 45, NodeStatus.DRAINED, null))).isEmpty();
  }

  @Test
  void anOverloadedClusterAndASegmentThatIsNotServedAreAlerts() {
    List<Alert> alerts =
        alerts(
            node(
                true, false, 1, ACTIVE, "no node has capacity", segment("alert", 1, 1, "damaged")));

    assertThat(alerts)
        .extracting(Alert::code, Alert::subject)
        .containsExactly(tuple("SHORTAGE", "q2"), tuple("SEGMENT_TROUBLE", "alert"));
    assertThat(alerts.get(0).message()).contains("no node has capacity");
    assertThat(alerts.get(1).message()).contains("damaged");
  }

  @Test
  void aPausedQueueIsAnAlertWithUserReasonAndTime() {
    QueueControl control =
        new QueueControl("alert", true, false, "ann", NOW.minusSeconds(300), "deploy");

    assertThat(QueueProblems.of(List.of(), List.of(queue(control)), NOW))
        .containsExactly(
            new Alert(
                    "QUEUE_PAUSED",
                    "alert",
                    "sending to alert has been paused for 5m by ann (deploy); 'millrace queue resume"
                        + " alert' resumes it")
                .since(NOW.minusSeconds(300)));
  }

  @Test
  void eventsThatWaitWellBeyondTheTargetAreAProblemUntilTheyDoNot() {
    assertThat(alerts(queue(null, null, 0, 64, 5.0))).as("a burst").isEmpty();
    assertThat(alerts(queue(null, null, 0, 95, 5.0)))
        .containsExactly(
            new Alert(
                    "WAIT_TARGET_MISSED",
                    "alert",
                    "40 events of alert wait, the oldest for 1m35s; its wait target is 5s. 'millrace"
                        + " queue explain alert' shows what limits its workers")
                .since(NOW.minusSeconds(90)));
    assertThat(alerts(queue(null, null, 0, 900, 600.0))).as("less than twice").isEmpty();
    assertThat(alerts(queue(null, null, 0, 9_000, null))).as("no target").isEmpty();
    QueueControl paused = new QueueControl("alert", false, true, "ann", NOW, null);
    assertThat(alerts(queue(paused, null, 0, 95, 5.0)))
        .extracting(Alert::code)
        .containsExactly("QUEUE_PAUSED");
  }

  @Test
  void aLostLoadBalancerIsAProblem() {
    RegisteredNode lost =
        new RegisteredNode(
            new UUID(0, 1), "b1", NodeKind.BALANCER, URI.create("http://b1:1"), true, 30, null);
    assertThat(NodeProblems.balancers(List.of(lost), NOW))
        .singleElement()
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("BALANCER_LOST"))
        .satisfies(alert -> assertThat(alert.since()).isEqualTo(NOW.minusSeconds(30)))
        .satisfies(alert -> assertThat(alert.message()).contains("unreachable for 30s"));
  }

  @Test
  void aQueueNodeWhoseDiskIsNearlyFullIsAProblemWhileItIsLive() {
    String full = "the disk of /srv/q2 has less than its reserve of 256MB free";
    assertThat(alerts(full(node(true, false, 1, ACTIVE, null), full)))
        .singleElement()
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("DISK_FULL"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("q2"))
        .satisfies(alert -> assertThat(alert.message()).contains("accepts no events: " + full));
    assertThat(alerts(full(node(true, false, 1, ACTIVE, null), null))).isEmpty();
  }

  private static QueueNodeView full(QueueNodeView node, String full) {
    return new QueueNodeView(
        node.id(),
        node.name(),
        node.address(),
        node.live(),
        node.lost(),
        node.withdrawn(),
        node.silentSeconds(),
        node.status(),
        node.statusUntil(),
        node.statusReason(),
        node.load(),
        node.capacity(),
        node.configuredCapacity(),
        node.shortage(),
        node.segments(),
        full);
  }

  private static List<Alert> alerts(QueueView queue) {
    return QueueProblems.of(List.of(), List.of(queue), NOW);
  }

  @Test
  void anOpenBreakerIsAnAlertWithCauseLastFailureAndFix() {
    BreakerView breaker =
        new BreakerView(
            "alert",
            NOW.minusSeconds(90),
            "10 of the last 20 runs failed",
            1,
            0,
            3,
            NOW.plusSeconds(30),
            "worker 7.1 on e1, exit code 3: no such customer");
    assertThat(QueueProblems.of(List.of(), List.of(queue(null, breaker)), NOW))
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("BREAKER_OPEN");
              assertThat(alert.subject()).isEqualTo("alert");
              assertThat(alert.message())
                  .contains("10 of the last 20 runs failed, for 1m30s")
                  .contains("The last failure: worker 7.1 on e1, exit code 3: no such customer")
                  .contains("the next in 30s")
                  .contains("apply a corrected definition")
                  .contains("when 3 probes in a row succeed");
            });
  }

  @Test
  void aSingleEventOrProbeIsNotAPlural() {
    BreakerView breaker =
        new BreakerView("alert", NOW, "1 of the last 2 runs failed", 0, 0, 1, NOW, null);
    assertThat(alerts(queue(null, breaker)).get(0).message())
        .endsWith("the queue resumes when a probe succeeds");
    SegmentFigures one = segment("alert", 1, 1, null);
    assertThat(alerts(node(false, true, 45, ACTIVE, null, one)).get(1).message())
        .contains("and holds 1 event of alert;");
    assertThat(alerts(node(false, true, true, 1, NodeStatus.LOST, null, one)).get(1).message())
        .contains("held 1 event of alert, which is no longer");
  }

  @Test
  void deadLettersAreAProblemOfTheirQueue() {
    assertThat(QueueProblems.of(List.of(), List.of(queue(null, null, 0)), NOW)).isEmpty();
    assertThat(QueueProblems.of(List.of(), List.of(queue(null, null, 1234)), NOW))
        .singleElement()
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("DEAD_LETTERS"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("alert"))
        .satisfies(alert -> assertThat(alert.message()).contains("1,234 dead letters"));
  }

  private static List<Alert> alerts(QueueNodeView node) {
    return QueueProblems.of(List.of(node), List.of(queue(null)), NOW);
  }

  private static QueueNodeView node(
      boolean live,
      boolean lost,
      double silentSeconds,
      NodeStatus standing,
      String shortage,
      SegmentFigures... segments) {
    return node(live, lost, false, silentSeconds, standing, shortage, segments);
  }

  private static QueueNodeView node(
      boolean live,
      boolean lost,
      boolean withdrawn,
      double silentSeconds,
      NodeStatus standing,
      String shortage,
      SegmentFigures... segments) {
    return new QueueNodeView(
        new UUID(1, 2),
        "q2",
        URI.create("http://q2:1"),
        live,
        lost,
        withdrawn,
        silentSeconds,
        standing,
        null,
        null,
        new NodeLoad(NodeState.NORMAL, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        shortage,
        List.of(segments),
        null);
  }

  private static SegmentFigures segment(
      String queue, long waiting, double oldestSeconds, String trouble) {
    return new SegmentFigures(
        queue,
        "q2",
        500,
        1,
        waiting,
        0,
        0,
        0,
        oldestSeconds,
        0,
        waiting,
        0,
        0,
        0,
        0,
        List.of(),
        null,
        trouble);
  }

  private static QueueView queue(QueueControl control) {
    return queue(control, null);
  }

  private static QueueView queue(QueueControl control, BreakerView breaker) {
    return queue(control, breaker, 0);
  }

  private static QueueView queue(QueueControl control, BreakerView breaker, long dead) {
    return queue(control, breaker, dead, 0, null);
  }

  private static QueueView queue(
      QueueControl control, BreakerView breaker, long dead, double oldest, Double waitTarget) {
    return new QueueView(
        "alert",
        1,
        1,
        Map.of(),
        40,
        0,
        0,
        dead,
        oldest,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        null,
        control,
        null,
        breaker,
        null,
        waitTarget,
        false);
  }
}
