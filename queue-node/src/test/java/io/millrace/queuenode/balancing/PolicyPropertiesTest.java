package io.millrace.queuenode.balancing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import io.millrace.queuenode.balancing.Shedding.PointLoads;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PolicyPropertiesTest {
  private static final long QUIET = World.SETTINGS.pace().quiet().toNanos();

  @Provide
  Arbitrary<World> worlds() {
    return Arbitraries.randomValue(World::random);
  }

  @Provide
  Arbitrary<BalancingPolicy> policies() {
    return Arbitraries.of(BalancingPolicies.all(World.SETTINGS));
  }

  @Property
  void everyRowKeepsItsThousandPointsAndNoneIsNegative(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed,
      @ForAll boolean draining) {
    for (ObservedNode node : world.nodes()) {
      World after = world.with(decide(policy, node, draining, world, seed).moves());
      for (ObservedQueue queue : after.queues()) {
        assertThat(queue.points().values().stream().mapToInt(points -> points).sum())
            .isEqualTo(1000);
        assertThat(queue.points().values()).allMatch(points -> points >= 0);
      }
    }
  }

  @Property
  void everyMoveIsOfTheDecidingNodesPointsAndNamesTheRowsVersion(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed,
      @ForAll boolean draining) {
    for (ObservedNode node : world.nodes()) {
      for (PlannedMove planned : decide(policy, node, draining, world, seed).moves()) {
        WeightMove move = planned.move();
        assertThat(move.points()).isPositive();
        assertThat(move.from()).isEqualTo(node.name()).isNotEqualTo(move.to());
        assertThat(move.version()).isEqualTo(world.queue(move.queue()).version());
      }
    }
  }

  @Property
  void noDecisionTakesAQueueBelowItsMinimumOfSegmentsOnAliveNodes(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      World after = world.with(decide(policy, node, false, world, seed).moves());
      for (ObservedQueue queue : world.queues()) {
        assertThat(segments(after.queue(queue.name())))
            .isGreaterThanOrEqualTo(Math.min(queue.minSegments(), segments(queue)));
      }
    }
  }

  @Property
  void aDrainKeepsTheMinimumOfSegmentsWhileEnoughNodesAcceptWeight(
      @ForAll("worlds") World world, @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      BalancingDecision decision = decide(measured(), node, true, world, seed);
      World after = world.with(decision.moves());
      long takers =
          world.nodes().stream().filter(other -> other.accepts() && !other.equals(node)).count();
      for (ObservedQueue queue : world.queues()) {
        assertThat(segments(after.queue(queue.name())))
            .isGreaterThanOrEqualTo(
                (int) Math.min(takers, Math.min(queue.minSegments(), segments(queue))));
      }
    }
  }

  @Property
  void aDrainedNodeKeepsNothingAsLongAsSomeNodeAcceptsWeight(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      BalancingDecision decision = decide(policy, node, true, world, seed);
      boolean somebody =
          world.nodes().stream().anyMatch(other -> other.accepts() && !other.equals(node));
      if (somebody) {
        assertThat(held(world.with(decision.moves()), node)).isZero();
      } else {
        assertThat(decision.moves()).isEmpty();
      }
    }
  }

  @Property
  void onlyNodesThatAcceptWeightAndAreNeitherBusyNorTooBusyReceiveAny(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      for (PlannedMove planned : decide(policy, node, false, world, seed).moves()) {
        ObservedNode receiver = world.node(planned.move().to());
        assertThat(receiver.accepts()).isTrue();
        assertThat(receiver.state()).isIn(NodeState.IDLE, NodeState.NORMAL);
      }
    }
  }

  @Property
  void idleNodesReceiveOnlyWhenMostUsedNodesAreBusyOrTooBusy(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed) {
    List<ObservedNode> used = world.nodes().stream().filter(node -> held(world, node) > 0).toList();
    long busy = used.stream().filter(node -> node.state() != NodeState.NORMAL).count();
    for (ObservedNode node : world.nodes()) {
      for (PlannedMove planned : decide(policy, node, false, world, seed).moves()) {
        if (held(world, world.node(planned.move().to())) == 0) {
          assertThat(2 * busy).isGreaterThan(used.size());
        }
      }
    }
  }

  @Property
  void noReceiverIsFilledBeyondTheLimit(@ForAll("worlds") World world, @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      BalancingDecision decision = decide(measured(), node, false, world, seed);
      double limit =
          decision.kind() == BalancingKind.SCALE_IN
              ? World.SETTINGS.limits().scaleInTo()
              : World.SETTINGS.limits().ceiling();
      Map<String, Double> coming = new HashMap<>();
      decision
          .moves()
          .forEach(planned -> coming.merge(planned.move().to(), planned.load(), Double::sum));
      coming.forEach(
          (name, load) -> {
            ObservedNode receiver = world.node(name);
            assertThat((receiver.load() + load) / receiver.capacity())
                .isLessThanOrEqualTo(limit + 1e-9);
          });
    }
  }

  @Property
  void anOverloadedNodeShedsItsExcessAndNoMoreThanASmallestSegmentBeyond(
      @ForAll("worlds") World world, @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      BalancingDecision decision = decide(measured(), node, false, world, seed);
      if (decision.kind() == BalancingKind.SHED && allMeasured(world, node)) {
        double shed = decision.moves().stream().mapToDouble(PlannedMove::load).sum();
        double excess = node.load() - World.SETTINGS.limits().shedTo() * node.capacity();
        double dearest =
            world.queues().stream()
                .mapToDouble(
                    queue -> queue.points().containsKey(node.name()) ? queue.loadPerPoint() : 0)
                .max()
                .orElse(0);
        double slack =
            World.SETTINGS.limits().minMove() * node.capacity()
                + World.SETTINGS.pace().minWeight() * dearest;
        assertThat(shed).isLessThanOrEqualTo(excess + slack + 1e-9);
      }
    }
  }

  @Property
  void aNodeScalesInCompletelyOrNotAtAll(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      BalancingDecision decision = decide(policy, node, false, world, seed);
      if (decision.kind() == BalancingKind.SCALE_IN) {
        assertThat(held(world.with(decision.moves()), node)).isZero();
      }
    }
  }

  @Property
  void oneNodeAtATimeScalesIn(@ForAll("worlds") World world, @ForAll long seed) {
    long leaving =
        world.nodes().stream()
            .filter(
                node ->
                    decide(measured(), node, false, world, seed).kind() == BalancingKind.SCALE_IN)
            .count();
    assertThat(leaving).isLessThanOrEqualTo(1);
  }

  @Property
  void equalInputsAndSeedsGiveEqualDecisions(
      @ForAll("worlds") World world,
      @ForAll("policies") BalancingPolicy policy,
      @ForAll long seed,
      @ForAll boolean draining) {
    for (ObservedNode node : world.nodes()) {
      assertThat(decide(policy, node, draining, world, seed))
          .isEqualTo(decide(policy, node, draining, world, seed));
    }
  }

  @Property
  void nothingMovesWhileNoNodeIsOverloadedAndWeightsHaveJustChanged(
      @ForAll("worlds") World world, @ForAll long seed) {
    for (ObservedNode node : world.nodes()) {
      if (node.state() != NodeState.TOOBUSY) {
        BalancingDecision decision =
            measured()
                .decide(
                    node.name(),
                    false,
                    world.snapshot(),
                    BalancingMemory.EMPTY,
                    0,
                    new Random(seed));
        assertThat(decision.kind()).isNull();
        assertThat(decision.moves()).isEmpty();
      }
    }
  }

  private static BalancingPolicy measured() {
    return BalancingPolicies.named("measured", World.SETTINGS);
  }

  /** The first decision with a kind of a node that has seen a quiet cluster for a while. */
  private static BalancingDecision decide(
      BalancingPolicy policy, ObservedNode self, boolean draining, World world, long seed) {
    Random random = new Random(seed);
    BalancingSnapshot snapshot = world.snapshot();
    BalancingDecision decision =
        policy.decide(self.name(), draining, snapshot, BalancingMemory.EMPTY, 0, random);
    for (int tick = 0; tick < 2 && decision.kind() == null; tick++) {
      long now = QUIET + (long) tick * (2 * World.SECOND);
      decision = policy.decide(self.name(), draining, snapshot, decision.memory(), now, random);
    }
    return decision;
  }

  private static int segments(ObservedQueue queue) {
    return (int) queue.points().values().stream().filter(points -> points > 0).count();
  }

  private static int held(World world, ObservedNode node) {
    return world.queues().stream()
        .mapToInt(queue -> queue.points().getOrDefault(node.name(), 0))
        .sum();
  }

  private static boolean allMeasured(World world, ObservedNode node) {
    return world.queues().stream()
        .filter(queue -> queue.points().containsKey(node.name()))
        .allMatch(PointLoads::measured);
  }
}
