package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.database.DatabaseTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueNodeCommandsTest {
  private static final NodeCommand WITHOUT_WORDS = new NodeCommand(null, null);

  @TempDir Path folder;
  private final AtomicInteger hints = new AtomicInteger();
  private QueueWorld world;
  private QueueNodeCommands commands;

  @BeforeEach
  void twoNodes() {
    world = new QueueWorld(folder);
    commands =
        new QueueNodeCommands(
            world.queueNodes,
            world.nodes,
            world.weights,
            new DatabaseTime(world.database.dialect()),
            hints::incrementAndGet);
    world.reports("q1", "q2");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aNodeDrainsUntilItIsUndrainedWhateverItReports() {
    QueueNodeView draining = commands.drain("q1", new NodeCommand(null, "a new disk"), "ann");
    assertThat(draining.status()).as("it holds nothing").isEqualTo(NodeStatus.DRAINED);
    assertThat(draining.statusReason()).isEqualTo("a new disk");
    assertThat(draining.statusUntil()).isNull();
    world.report("q1", QueueWorld.segment("alert", "q1", 3, 3));
    assertThat(world.nodes.require("q1").status()).isEqualTo(NodeStatus.DRAINING);
    world.report("q1");
    assertThat(world.nodes.require("q1").status()).isEqualTo(NodeStatus.DRAINED);
    assertThat(world.nodes.require("q2").status()).isEqualTo(NodeStatus.ACTIVE);

    assertThat(commands.undrain("q1", "ann").status()).isEqualTo(NodeStatus.ACTIVE);
    assertThat(hints).hasValue(2);
  }

  @Test
  void aDrainedNodeThatWasStoppedIsDrainedAndNotLost() {
    commands.drain("q1", new NodeCommand(null, "a new disk"), "ann");
    lose("q1");
    assertThat(world.nodes.require("q1").lost()).isTrue();
    assertThat(world.nodes.require("q1").status()).isEqualTo(NodeStatus.DRAINED);

    world.report("q2", QueueWorld.segment("alert", "q2", 3, 3));
    commands.drain("q2", new NodeCommand(null, null), "ann");
    lose("q2");
    assertThat(world.nodes.require("q2").status())
        .as("it still holds events")
        .isEqualTo(NodeStatus.LOST);
  }

  @Test
  void maintenanceEndsAutomaticallyByTheDatabaseClock() {
    QueueNodeView away =
        commands.maintain("q1", new NodeCommand(Duration.ofMinutes(5), "kernel"), "ann");
    assertThat(away.status()).isEqualTo(NodeStatus.MAINTENANCE);
    assertThat(away.statusUntil())
        .isBetween(
            world.database.now().plus(Duration.ofMinutes(4)),
            world.database.now().plus(Duration.ofMinutes(5)));

    world.database.transaction(
        handle -> handle.execute("update node set duty_until = heard_at where name = 'q1'"));
    QueueNodeView back = world.nodes.require("q1");
    assertThat(back.status()).isEqualTo(NodeStatus.ACTIVE);
    assertThat(back.statusUntil()).isNull();
    assertThat(back.statusReason()).isNull();
  }

  @Test
  void maintenanceNeedsAValidDuration() {
    refused(
        ErrorCode.INVALID_REQUEST,
        "needs a duration",
        () -> commands.maintain("q1", WITHOUT_WORDS, "ann"));
    refused(
        ErrorCode.INVALID_REQUEST,
        "drain a node that is away for longer",
        () -> commands.maintain("q1", new NodeCommand(Duration.ofDays(8), null), "ann"));
  }

  @Test
  void anUnknownNodeIsAProblemWithTheFix() {
    refused(
        ErrorCode.UNKNOWN_NODE,
        "'millrace node list'",
        () -> commands.drain("q9", WITHOUT_WORDS, "ann"));
    refused(ErrorCode.UNKNOWN_NODE, "q9", () -> commands.forget("q9", true, "ann"));
  }

  @Test
  void aLiveOrSilentNodeIsNotForgotten() {
    refused(ErrorCode.CONFLICT, "is not lost", () -> commands.forget("q1", true, "ann"));
    world.silence("q1", Duration.ofSeconds(20));
    refused(ErrorCode.CONFLICT, "is not lost", () -> commands.forget("q1", true, "ann"));
    assertThat(world.nodes.all()).hasSize(2);
  }

  @Test
  void aLostNodeIsForgottenOnlyWithoutPointsAndEventsUnlessForced() {
    world.apply("{kind: queue, name: alert}");
    world.weigh("alert", Map.of("q1", 400, "q2", 600));
    world.report("q1", QueueWorld.segment("alert", "q1", 7, 7));
    lose("q1");
    refused(ErrorCode.CONFLICT, "400 points of alert", () -> commands.forget("q1", true, "ann"));

    world.reweigh("alert", Map.of("q2", 1000));
    refused(
        ErrorCode.CONFLICT,
        "7 unfinished events and 0 dead letters of alert",
        () -> commands.forget("q1", false, "ann"));
    commands.forget("q1", true, "ann");
    assertThat(world.nodes.all()).extracting(QueueNodeView::name).containsExactly("q2");
  }

  @Test
  void aStoppedDrainedNodeIsForgottenBeforeItsGraceEnds() {
    commands.drain("q1", WITHOUT_WORDS, "ann");
    refused(ErrorCode.CONFLICT, "is not lost", () -> commands.forget("q1", false, "ann"));
    world.silence("q1", Duration.ofSeconds(11));

    commands.forget("q1", false, "ann");
    assertThat(world.nodes.all()).extracting(QueueNodeView::name).containsExactly("q2");
  }

  private void lose(String node) {
    world.silence(node, Duration.ofMinutes(5));
    world.database.transaction(
        handle ->
            handle
                .createUpdate("update node set lost_at = heard_at where name = :name")
                .bind("name", node)
                .execute());
  }

  private static void refused(ErrorCode code, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
