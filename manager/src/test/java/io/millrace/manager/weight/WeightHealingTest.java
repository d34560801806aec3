package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeightHealingTest {
  private static final Duration LOST = QueueWorld.LEASE.plus(HealingWorld.GRACE).plusSeconds(1);

  @TempDir Path folder;
  private QueueWorld world;
  private HealingWorld healing;
  private Claim claim;

  @BeforeEach
  void aQueueOnTwoOfThreeNodes() {
    world = new QueueWorld(folder);
    healing = new HealingWorld(world);
    claim = healing.claim("c1");
    world.apply("{kind: queue, name: alert}");
    world.reports("q1", "q2", "q3");
    world.weigh("alert", Map.of("q1", 400, "q2", 600));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void thePointsOfALostNodeGoToLiveNodesAndTheMinimumIsRestored() {
    world.silence("q2", LOST);
    healing.settle(claim);

    assertThat(points()).isEqualTo(Map.of("q1", 700, "q3", 300));
    assertThat(view("q2").lost()).isTrue();
    assertThat(healing.hints).hasValue(1);
    BalancingDecisionView decision =
        new WeightService(world.database, world.queues, world.queueNodes, () -> {})
            .decisions("alert", "q2", 5)
            .get(0);
    assertThat(decision.kind()).isEqualTo(BalancingKind.HEAL);
    assertThat(decision.node()).isEqualTo("c1");
    assertThat(decision.moves())
        .containsExactly(
            new WeightMove("alert", 1, "q2", "q1", 300),
            new WeightMove("alert", 1, "q2", "q3", 300));
    assertThat(decision.reason())
        .isEqualTo(
            "q2 is lost, the points of alert go to live nodes in proportion to free capacity: 300 points from q2 to q1,"
                + " 300 points from q2 to q3");
  }

  @Test
  void thePointsOfAWithdrawnNodeMoveAtOnceAlthoughItStillReports() {
    NodeIdentities identities = new NodeIdentities(world.database, new SystemClock());
    UUID id = UUID.nameUUIDFromBytes("q2".getBytes(StandardCharsets.UTF_8));
    identities.require(Principal.of(new NodeIdentity(Role.QUEUE_NODE, "q2", id)));

    identities.withdraw("q2", "ann");
    // Another central manager may accept it for some seconds.
    world.reports("q1", "q2", "q3");
    healing.heal(claim);

    assertThat(points()).isEqualTo(Map.of("q1", 700, "q3", 300));
    assertThat(view("q2").lost()).isTrue();
    assertThat(view("q2").withdrawn()).isTrue();
    assertThat(view("q2").status()).isEqualTo(NodeStatus.LOST);
    assertThat(view("q1").withdrawn()).isFalse();
  }

  @Test
  void aNodeThatIsOnlySilentKeepsItsPoints() {
    world.silence("q2", LOST);
    healing.settle(claim, HealingWorld.GRACE);

    assertThat(points()).isEqualTo(Map.of("q1", 400, "q2", 600));
    assertThat(view("q2").live()).isFalse();
    assertThat(view("q2").lost()).isFalse();
  }

  @Test
  void nothingIsLostBeforeOneFullLeaseOfPossibleRenewalsHasPassed() {
    world.silence("q2", Duration.ofHours(3));
    healing.heal(claim);
    assertThat(points()).isEqualTo(Map.of("q1", 400, "q2", 600));

    world.report("q2");
    healing.settle(claim);
    assertThat(points())
        .as("it renewed as soon as it could")
        .isEqualTo(Map.of("q1", 400, "q2", 600));
  }

  @Test
  void stepsOfTheDatabaseClockDoNotAffectTheLossOfNodes() {
    healing.settle(claim, QueueWorld.LEASE);
    world.silence("q2", Duration.ofHours(1));
    healing.settle(claim, HealingWorld.GRACE);
    assertThat(points()).as("an hour ahead").containsEntry("q2", 600);

    world.silence("q2", Duration.ofHours(-1));
    healing.settle(claim);
    assertThat(points()).as("an hour back").doesNotContainKey("q2");
  }

  @Test
  void aNodeInMaintenanceIsNotLostUntilItsEndAndAGraceHavePassed() {
    world.queueNodes.command("q2", NodeStatus.MAINTENANCE, Duration.ofHours(1), "a new disk");
    world.silence("q2", LOST);
    healing.settle(claim);
    assertThat(points()).containsEntry("q2", 600);

    maintenanceEnded(Duration.ofSeconds(1));
    healing.settle(claim, HealingWorld.GRACE);
    assertThat(points()).containsEntry("q2", 600);

    healing.settle(claim, QueueWorld.LEASE);
    assertThat(points()).doesNotContainKey("q2");
  }

  @Test
  void aReturningNodeIsNoLongerLostAndGetsItsShare() {
    world.silence("q2", LOST);
    healing.settle(claim);
    world.report("q2", QueueWorld.segment("alert", "q2", 7, 7));
    healing.heal(claim);

    assertThat(view("q2").live()).isTrue();
    assertThat(view("q2").lost()).isFalse();
    assertThat(points()).isEqualTo(Map.of("q1", 700, "q3", 300));
  }

  @Test
  void drainingNodesAndNodesInMaintenanceGetNoPoints() {
    world.queueNodes.command("q1", NodeStatus.DRAINING, null, null);
    world.silence("q2", LOST);
    healing.settle(claim);

    assertThat(points()).isEqualTo(Map.of("q1", 400, "q3", 600));
  }

  @Test
  void whenAllNodesAreLostThePointsStayUntilOneIsLive() {
    for (String node : new String[] {"q1", "q2", "q3"}) {
      world.silence(node, LOST);
    }
    healing.settle(claim);
    assertThat(points()).isEqualTo(Map.of("q1", 400, "q2", 600));

    world.report("q3");
    healing.heal(claim);
    assertThat(points()).isEqualTo(Map.of("q3", 1000));
  }

  @Test
  void withoutTheClaimNothingIsHealed() {
    world.silence("q2", LOST);
    healing.claims.release("heal-weights", "c1");
    healing.claim("c2");
    healing.settle(claim);

    assertThat(points()).isEqualTo(Map.of("q1", 400, "q2", 600));
    assertThat(view("q2").lost()).isFalse();
  }

  private void maintenanceEnded(Duration ago) {
    world.database.transaction(
        handle ->
            handle
                .createUpdate("update node set duty_until = :until where name = 'q2'")
                .bind("until", world.database.now().minus(ago))
                .execute());
  }

  private Map<String, Integer> points() {
    return world.weights.find("alert").orElseThrow().points();
  }

  private QueueNodeView view(String node) {
    return world.nodes.require(node);
  }
}
