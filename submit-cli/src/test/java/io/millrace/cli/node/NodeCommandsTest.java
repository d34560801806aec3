package io.millrace.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodeCommandsTest {
  private final FakeCluster cluster =
      new FakeCluster()
          .answering("GET /v1/overview", overview())
          .answering("GET /v1/balancing/decisions", List.of());
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void decisionsOfAnUnknownNodeAreAnError() {
    cluster
        .answering("GET /v1/balancing/decisions?limit=20&node=nope", List.of())
        .refusing("GET /v1/queue-nodes/nope", ErrorCode.UNKNOWN_NODE, "queue node 'nope'");
    assertThat(run.run("node", "decisions", "nope")).isEqualTo(3);
    assertThat(run.messages()).contains("queue node 'nope'");
  }

  @Test
  void aDenialIsEndedForTheDefinitionThatShowNames() {
    cluster.answering("POST /v1/execution-nodes/e1/allow", overview().executionNodes().get(0));
    assertThat(run.run("node", "allow", "e1", "ann/import")).isZero();
    assertThat(new String(cluster.last().body(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("{\"definition\":\"ann/import\"}");
  }

  @Test
  void theListShowsEveryNodeWithItsSignalsAndAlerts() {
    assertThat(run.run("node", "list")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            NAME  KIND       STATUS  STATE    LOAD   CPU  STORE  DISK  POINTS  SEGMENTS  EVENTS  SLOTS    CPUS      MEMORY  HEARD  ALERTS
            q1    queue      active  toobusy  0.81  0.40   0.81     -     500         1   1,642      -       -           -  400ms
            q2    queue      lost    -           -     -      -     -     500         0       0      -       -           -  2m05s  SILENT_NODE_EVENTS
            e1    execution  active  -           -     -      -     -       -         -       -    3/8  1.50/4  512MB/16GB   1.0s
            """);
  }

  @Test
  void queueNodeIsShownWithTheReasonOfItsStateAndItsSegments() {
    assertThat(run.run("node", "show", "q1")).isZero();
    assertThat(run.output())
        .contains("queue node q1")
        .contains("toobusy")
        .contains("store 0.81 > 0.70 for 2 ticks")
        .contains("37%")
        .contains("no node has capacity");
    assertThat(cluster.asked()).contains("GET /v1/balancing/decisions?limit=10&node=q1");
  }

  @Test
  void executionNodeIsShownWithTotalAndReservedResources() {
    assertThat(run.run("node", "show", "e1")).isZero();
    assertThat(run.output())
        .contains("execution node e1")
        .contains("3 of 8 in use")
        .contains("1.50/4")
        .contains("512MB/16GB")
        .contains("4 of 8 processors (50%), 16GB of 32GB memory (50%) of this host")
        .contains("gpu 1/2")
        .contains("only jobs that request one of its resources")
        .contains("1.5s behind the database")
        .contains("0.4.1")
        .contains("2: 17.1 18.2")
        .contains("label.rack  r7")
        .contains("ann/report")
        .contains("exit code 7");
  }

  @Test
  void aDrainingNodeThatHoldsOnlyManagersSaysWhatItWaitsFor() {
    showing(executionNode(NodeStatus.DRAINING, null, null, 1));
    assertThat(run.run("node", "show", "e1")).isZero();
    assertThat(run.output()).as("a job still runs").doesNotContain("waits for");

    showing(executionNode(NodeStatus.DRAINING, null, null, 2));
    assertThat(run.run("node", "show", "e1")).isZero();
    assertThat(run.output())
        .contains(
            "another node of pool default to take the 2 queue or task managers left on it;"
                + " start or undrain one");
  }

  @Test
  void aDrainingNodeNamesItsSilenceFirstAndTheManagersThatWereAskedToStop() {
    showing(drainingWithManagers(1, 0.4));
    assertThat(run.run("node", "show", "e1")).isZero();
    assertThat(run.output())
        .contains(
            "the end of 1 queue or task manager asked to stop; another node of pool default to"
                + " take the 1 queue or task manager left on it")
        .doesNotContain("silent");

    showing(drainingWithManagers(2, 12));
    CommandRun later = new CommandRun(cluster);
    assertThat(later.run("node", "show", "e1")).isZero();
    assertThat(later.output())
        .contains(
            "a report of the node, silent for 12.0s; the end of 2 queue or task managers asked to"
                + " stop")
        .doesNotContain("another node", "undrain one");
  }

  @Test
  void unknownNodeIsNotFound() {
    assertThat(run.run("node", "show", "q9")).isEqualTo(3);
    assertThat(run.messages()).contains("q9").contains("millrace node list");
  }

  @Test
  void drainingIsReportedWithItsReason() {
    cluster.answering(
        "POST /v1/queue-nodes/q1/drain",
        queueNode("q1", true, NodeStatus.DRAINING, null, "new disk"));

    assertThat(run.run("node", "drain", "q1", "--reason", "new disk")).isZero();

    assertThat(command()).isEqualTo(new NodeCommand(null, "new disk"));
    assertThat(run.output()).isEqualTo("queue node q1 is draining: new disk\n");
  }

  @Test
  void maintenanceHasAnEnd() {
    Instant until = CommandRun.NOW.plusSeconds(300);
    cluster.answering(
        "POST /v1/queue-nodes/q1/maintenance",
        queueNode("q1", true, NodeStatus.MAINTENANCE, until, null));

    assertThat(run.run("node", "maintenance", "q1")).as("without --for").isEqualTo(2);
    assertThat(run.run("node", "maintenance", "q1", "--for", "5m")).isZero();

    assertThat(command()).isEqualTo(new NodeCommand(Duration.ofMinutes(5), null));
    assertThat(run.output()).isEqualTo("queue node q1 is in maintenance, 5m00s remaining\n");
  }

  @Test
  void undrainMakesItActive() {
    cluster.answering(
        "POST /v1/queue-nodes/q1/undrain", queueNode("q1", true, NodeStatus.ACTIVE, null, null));
    assertThat(run.run("node", "undrain", "q1")).isZero();
    assertThat(run.output()).isEqualTo("queue node q1 is active\n");
  }

  @Test
  void executionNodeIsDrainedByADeadline() {
    cluster.answering(
        "POST /v1/execution-nodes/e1/drain",
        executionNode(NodeStatus.DRAINING, CommandRun.NOW.plusSeconds(600), "new disk"));

    assertThat(run.run("node", "drain", "e1", "--deadline", "10m", "--reason", "new disk"))
        .isZero();

    assertThat(command()).isEqualTo(new NodeCommand(Duration.ofMinutes(10), "new disk"));
    assertThat(run.output())
        .isEqualTo("execution node e1 is draining, 10m00s remaining: new disk\n");
  }

  @Test
  void executionNodeEntersAndLeavesMaintenance() {
    cluster
        .answering(
            "POST /v1/execution-nodes/e1/maintenance",
            executionNode(NodeStatus.MAINTENANCE, CommandRun.NOW.plusSeconds(120), null))
        .answering(
            "POST /v1/execution-nodes/e1/undrain", executionNode(NodeStatus.ACTIVE, null, null));

    assertThat(run.run("node", "maintenance", "e1", "--for", "2m")).isZero();
    assertThat(command()).isEqualTo(new NodeCommand(Duration.ofMinutes(2), null));
    assertThat(run.run("node", "undrain", "e1")).isZero();

    assertThat(run.output())
        .isEqualTo(
            "execution node e1 is in maintenance, 2m00s remaining\nexecution node e1 is active\n");
  }

  @Test
  void unknownNodeIsNotChanged() {
    assertThat(run.run("node", "drain", "q9")).isEqualTo(3);
    assertThat(cluster.asked()).containsExactly("GET /v1/overview");
  }

  @Test
  void nameOfNodesOfBothKindsRequiresTheKind() {
    Overview both = overview();
    cluster
        .answering(
            "GET /v1/overview",
            new Overview(
                both.at(),
                both.version(),
                List.of(queueNode("e1", true, NodeStatus.ACTIVE, null, null)),
                both.executionNodes(),
                both.balancers(),
                both.queues(),
                both.jobs(),
                both.allJobs(),
                both.alerts()))
        .answering(
            "POST /v1/execution-nodes/e1/drain", executionNode(NodeStatus.DRAINING, null, null));

    assertThat(run.run("node", "drain", "e1")).isEqualTo(2);
    assertThat(run.messages()).contains("--kind");
    assertThat(run.run("node", "drain", "e1", "--kind", "execution")).isZero();
  }

  @Test
  void forgettingALostNodeMayBeForced() {
    cluster.answering("DELETE /v1/queue-nodes/q2", Map.of());
    assertThat(run.run("node", "forget", "q2")).isZero();
    assertThat(run.run("node", "forget", "q2", "--force")).isZero();
    assertThat(cluster.asked())
        .containsExactly(
            "DELETE /v1/queue-nodes/q2?force=false", "DELETE /v1/queue-nodes/q2?force=true");
  }

  @Test
  void jsonIsPrintedOnRequest() {
    run.run("node", "list", "--json");
    JsonNode nodes = Json.read(run.output(), JsonNode.class);
    assertThat(nodes.at("/queueNodes/0/name").asText()).isEqualTo("q1");
    assertThat(nodes.at("/executionNodes/0/name").asText()).isEqualTo("e1");
  }

  private NodeCommand command() {
    return Json.read(cluster.last().body(), NodeCommand.class);
  }

  private static ExecutionNodeView executionNode(NodeStatus status, Instant until, String reason) {
    return executionNode(status, until, reason, 0);
  }

  private static ExecutionNodeView executionNode(
      NodeStatus status, Instant until, String reason, int managers) {
    return executionNode(status, until, reason, managers, 0, 1);
  }

  private static ExecutionNodeView drainingWithManagers(int stopping, double silentSeconds) {
    return executionNode(NodeStatus.DRAINING, null, null, 2, stopping, silentSeconds);
  }

  private static ExecutionNodeView executionNode(
      NodeStatus status,
      Instant until,
      String reason,
      int managers,
      int stopping,
      double silentSeconds) {
    return new ExecutionNodeView(
        new UUID(0, 9),
        "e1",
        URI.create("http://127.0.0.1:7721"),
        status,
        status == NodeStatus.LOST,
        new NodeCapacity(8, 4, 16L << 30, Map.of("gpu", 2), true),
        3,
        1.5,
        512L << 20,
        Map.of("gpu", 1),
        List.of("default"),
        Map.of("os", "linux", "label.rack", "r7", "cpus", "8", "memory", Long.toString(32L << 30)),
        silentSeconds,
        List.of(new AttemptId(17, 1), new AttemptId(18, 2)),
        true,
        until,
        reason,
        List.of(new DenylistEntry("ann/report", 5, CommandRun.NOW.plusSeconds(90), "exit code 7")),
        -1500L,
        "0.4.1",
        managers,
        stopping);
  }

  private void showing(ExecutionNodeView node) {
    cluster.answering("GET /v1/overview", overview(node));
  }

  private static Overview overview() {
    return overview(executionNode(NodeStatus.ACTIVE, null, null));
  }

  private static Overview overview(ExecutionNodeView e1) {
    Overview usual = Samples.overview(true, Samples.queue("alert"));
    return new Overview(
        usual.at(),
        usual.version(),
        List.of(
            queueNode("q1", true, NodeStatus.ACTIVE, null, null),
            queueNode("q2", false, NodeStatus.ACTIVE, null, null)),
        List.of(e1),
        usual.balancers(),
        usual.queues(),
        usual.jobs(),
        usual.allJobs(),
        List.of(new Alert("SILENT_NODE_EVENTS", "q2", "q2 is silent and holds events")));
  }

  private static QueueNodeView queueNode(
      String name, boolean live, NodeStatus status, Instant until, String reason) {
    NodeLoad load =
        new NodeLoad(NodeState.TOOBUSY, 0.81, 0.4, 0.81, null, "store 0.81 > 0.70 for 2 ticks");
    SegmentFigures segment =
        new SegmentFigures(
            "alert",
            name,
            500,
            8,
            1_592,
            0,
            50,
            0,
            2.5,
            9_000,
            1,
            1,
            1,
            0,
            0,
            null,
            new SegmentLoad(10, 20, 100, 0.3, 0.37),
            null);
    return new QueueNodeView(
        new UUID(0, 1),
        name,
        URI.create("http://127.0.0.1:7711"),
        live,
        !live,
        false,
        live ? 0.4 : 125,
        live ? status : NodeStatus.LOST,
        until,
        reason,
        live ? load : null,
        1,
        1,
        live ? "no node has capacity" : null,
        live ? List.of(segment) : List.of(),
        null);
  }
}
