package io.millrace.queuenode.balancing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RandomSplitPolicyTest {
  @Test
  void eachPolicySelectsItsShareOfTheSegments() {
    World world = tenQueues();
    assertThat(decide("random-one", world).moves()).hasSize(1);
    assertThat(decide("random-25", world).moves()).hasSize(3);
    assertThat(decide("random-40", world).moves()).hasSize(4);
  }

  @Test
  void halfOfTheWeightMovesWithUnknownLoad() {
    assertThat(decide("random-40", tenQueues()).moves())
        .allMatch(planned -> planned.move().points() == 250 && planned.load() == 0);
  }

  @Test
  void theSegmentIsChosenAtRandom() {
    Set<String> chosen = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      chosen.add(
          decide("random-one", tenQueues(), BalancingMemory.EMPTY, 0, seed)
              .moves()
              .get(0)
              .move()
              .queue());
    }
    assertThat(chosen).hasSize(10);
  }

  @Test
  void aSegmentTooSmallToSplitMovesWhole() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node("q2", NodeState.NORMAL, 0.1)
            .queue("small", 0.001, Map.of("q1", 7, "q2", 993));
    assertThat(decide("random-one", world).moves().get(0).move().points()).isEqualTo(7);
  }

  @Test
  void whenScalingOutTheTargetIsIdleElseANormalNodeThatHasTheQueue() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node("q2", NodeState.BUSY, 0.6)
            .node("q3", NodeState.IDLE, 0)
            .queue("hot", 0.001, Map.of("q1", 600, "q2", 400));
    assertThat(decide("random-one", world).moves().get(0).move().to()).isEqualTo("q3");
    World calmer =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node("q2", NodeState.NORMAL, 0.4)
            .node("q3", NodeState.NORMAL, 0.1)
            .queue("hot", 0.001, Map.of("q1", 600, "q2", 400))
            .queue("cold", 0.001, Map.of("q3", 1000));
    assertThat(decide("random-one", calmer).moves().get(0).move().to()).isEqualTo("q2");
  }

  @Test
  void aNodeSelectsAgainOnlyAfterTheInterval() {
    World world = tenQueues();
    BalancingDecision first = decide("random-one", world);
    BalancingMemory refused = first.refused();
    long interval = Duration.ofMinutes(15).toNanos();
    assertThat(decide("random-one", world, refused, interval - 1, 1).moves()).isEmpty();
    assertThat(decide("random-one", world, refused, interval, 1).moves()).hasSize(1);
  }

  @Test
  void aNodeThatIsNotNeededEmptiesItselfAtRandom() {
    World world =
        new World()
            .node("q1", NodeState.NORMAL, 0.1)
            .node("q2", NodeState.NORMAL, 0.1)
            .queue("a", 0.0001, Map.of("q1", 500, "q2", 500));
    int emptied = 0;
    for (int seed = 0; seed < 400; seed++) {
      BalancingDecision decision = decide("random-40", world, BalancingMemory.EMPTY, 0, seed);
      emptied += decision.kind() == BalancingKind.SCALE_IN ? 1 : 0;
    }
    assertThat(emptied).isBetween(50, 160);
  }

  @Test
  void anUnknownPolicyIsRejectedWithTheKnownNames() {
    assertThatThrownBy(() -> BalancingPolicies.named("random-50", World.SETTINGS))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("measured, random-one, random-25, random-40");
  }

  private static World tenQueues() {
    World world = new World().node("q1", NodeState.TOOBUSY, 0.9).node("q2", NodeState.NORMAL, 0.1);
    for (int i = 0; i < 10; i++) {
      world.queue("queue" + i, 0.0001, Map.of("q1", 500, "q2", 500));
    }
    return world;
  }

  private static BalancingDecision decide(String policy, World world) {
    return decide(policy, world, BalancingMemory.EMPTY, 0, 1);
  }

  private static BalancingDecision decide(
      String policy, World world, BalancingMemory memory, long now, long seed) {
    List<BalancingPolicy> all = BalancingPolicies.all(World.SETTINGS);
    assertThat(all).anyMatch(one -> one.name().equals(policy));
    return BalancingPolicies.named(policy, World.SETTINGS)
        .decide("q1", false, world.snapshot(), memory, now, new SplittableRandom(seed));
  }
}
