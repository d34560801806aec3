package io.millrace.queuenode.balancing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MeasuredLoadPolicyTest {
  private static final long TICK = 2 * World.SECOND;

  private final BalancingPolicy policy = BalancingPolicies.named("measured", World.SETTINGS);
  private final Random random = new Random(1);
  private BalancingMemory memory = BalancingMemory.EMPTY;
  private long now;

  @Test
  void theHotSegmentIsMovedFirstAndTheReasonExplainsIt() {
    World world =
        new World()
            .node("q1", NodeState.NORMAL, 0.32)
            .node("q3", NodeState.TOOBUSY, 0.81)
            .node("q4", NodeState.NORMAL, 0.40)
            .queue("mail", 0.0002, Map.of("q3", 500, "q1", 500))
            .queue("alert", 0.001, Map.of("q3", 700, "q1", 150, "q4", 150));

    assertThat(decide("q3", world).kind()).as("after one tick").isNull();
    BalancingDecision decision = decide("q3", world);

    assertThat(decision.kind()).isEqualTo(BalancingKind.SHED);
    assertThat(decision.reason())
        .startsWith("moved ")
        .contains("points of alert from q3 to q1")
        .contains("q3 at 0.81 > 0.70 for 2 ticks, excess 0.34, alert carries 0.70 of it")
        .contains("q1 at 0.32");
    assertThat(shed(decision)).isEqualTo(0.34, within(0.01));
    assertThat(decision.moves()).allMatch(planned -> planned.move().queue().equals("alert"));
  }

  @Test
  void oneMoveIsEnoughWhenOneReceiverHasCapacity() {
    World world = hotAndCold();
    decide("q1", world);
    BalancingDecision decision = decide("q1", world);
    assertThat(decision.moves()).extracting(PlannedMove::move).hasSize(1);
    WeightMove move = decision.moves().get(0).move();
    assertThat(move).isEqualTo(new WeightMove("hot", 1, "q1", "q2", move.points()));
    assertThat(move.points()).isEqualTo(413);
    assertThat(decision.reason())
        .isEqualTo(
            "moved 413 points of hot from q1 to q2: q1 at 0.80 > 0.70 for 2 ticks, excess 0.33,"
                + " hot carries 0.80 of it, q2 at 0.05 was the only one with capacity");
  }

  /** Enough points would remain for a segment, but next to no load (H-123). */
  @Test
  void aRemainderThatCarriesTooLittleMovesWithTheRest() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.8)
            .node("q2", NodeState.NORMAL, 0.05)
            .queue("hot", 0.001, Map.of("q1", 345, "q2", 655))
            .queue("cold", 0.0001, Map.of("q1", 500, "q2", 500));
    decide("q1", world);
    assertThat(decide("q1", world).moves())
        .extracting(PlannedMove::move)
        .extracting(WeightMove::queue, WeightMove::points)
        .contains(tuple("hot", 345));
  }

  @Test
  void movedLoadThatIsNotVisibleYetIsNotMovedAgain() {
    World world = hotAndCold();
    decide("q1", world);
    BalancingDecision first = decide("q1", world);
    World moved = world.with(first.moves());
    for (int tick = 0; tick < 15; tick++) {
      double shown = 1 - Math.pow(0.8, 2 * tick);
      moved
          .node("q1", NodeState.TOOBUSY, 0.8 - shed(first) * shown)
          .node("q2", NodeState.NORMAL, 0.05 + shed(first) * shown);
      assertThat(decide("q1", moved).moves()).as("tick " + tick).isEmpty();
    }
  }

  @Test
  void loadThatDoesNotFallAfterAMoveIsShedAgain() {
    World world = hotAndCold();
    decide("q1", world);
    World moved = world.with(decide("q1", world).moves());
    int decisions = 0;
    for (int tick = 0; tick < 15; tick++) {
      decisions += decide("q1", moved).kind() == BalancingKind.SHED ? 1 : 0;
    }
    assertThat(decisions).isPositive();
  }

  @Test
  void nothingIsDecidedUntilTheChangeIsSeenOrTheTimeoutPasses() {
    World world = hotAndCold();
    decide("q1", world);
    assertThat(decide("q1", world).kind()).isEqualTo(BalancingKind.SHED);
    assertThat(decide("q1", world).reason())
        .isEqualTo("waiting for the effect of the last decision");
    now += World.SETTINGS.pace().confirmationTimeout().toNanos();
    decide("q1", world);
    assertThat(decide("q1", world).kind()).isEqualTo(BalancingKind.SHED);
  }

  @Test
  void refusedMovesAreDecidedAgainAtTheNextTick() {
    World world = hotAndCold();
    decide("q1", world);
    BalancingDecision refused = decide("q1", world);
    memory = refused.refused();
    assertThat(decide("q1", world).kind()).isEqualTo(BalancingKind.SHED);
  }

  @Test
  void pointsDoNotMoveBackDuringTheReverseBan() {
    World before = hotAndCold();
    World after =
        before
            .with(List.of(new PlannedMove(new WeightMove("hot", 1, "q2", "q1", 200), 0.2)))
            .node("q1", NodeState.TOOBUSY, 0.9);
    decide("q1", before);
    for (int tick = 0; tick < 20; tick++) {
      assertThat(decide("q1", after).moves()).isEmpty();
    }
    now += World.SETTINGS.pace().reverseBan().toNanos();
    assertThat(decide("q1", after).kind()).isEqualTo(BalancingKind.SHED);
  }

  @Test
  void aNodeThatHasJustShedIsNotFilledAboveItsShedTarget() {
    World before =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node("q2", NodeState.NORMAL, 0.45)
            .queue("hot", 0.001, Map.of("q1", 900, "q2", 100))
            .queue("cold", 0.0001, Map.of("q1", 500, "q2", 500));
    decide("q1", before);
    assertThat(shed(decide("q1", before))).as("into one that did not").isGreaterThan(0.1);
    memory = BalancingMemory.EMPTY;
    World after =
        before.with(List.of(new PlannedMove(new WeightMove("cold", 1, "q2", "q1", 10), 0)));
    decide("q1", before);
    assertThat(shed(decide("q1", after))).isLessThanOrEqualTo(0.03);
  }

  @Test
  void withoutAReceiverNothingMovesAndTheShortageIsRecordedOnceAMinute() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node("q2", NodeState.BUSY, 0.6)
            .queue("hot", 0.0015, Map.of("q1", 600, "q2", 400));
    decide("q1", world);
    BalancingDecision shortage = decide("q1", world);
    assertThat(shortage.kind()).isEqualTo(BalancingKind.SHORTAGE);
    assertThat(shortage.moves()).isEmpty();
    assertThat(shortage.reason()).contains("no node has capacity").contains("1 BUSY or TOOBUSY");
    int recorded = 0;
    for (int tick = 0; tick < 60; tick++) {
      BalancingDecision again = decide("q1", world);
      assertThat(again.memory().shortage()).contains("no node has capacity");
      recorded += again.kind() == BalancingKind.SHORTAGE ? 1 : 0;
    }
    assertThat(recorded).isEqualTo(2);
    assertThat(decide("q1", world.node("q1", NodeState.BUSY, 0.45)).memory().shortage()).isNull();
  }

  @Test
  void idleNodesAreUsedOnceMostUsedNodesAreBusy() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.75)
            .node("q2", NodeState.NORMAL, 0.46)
            .node("q3", NodeState.IDLE, 0)
            .queue("hot", 0.0012, Map.of("q1", 600, "q2", 400));
    decide("q1", world);
    assertThat(receivers(decide("q1", world))).containsExactly("q2");
    memory = BalancingMemory.EMPTY;
    world.node("q2", NodeState.BUSY, 0.55);
    decide("q1", world);
    assertThat(receivers(decide("q1", world))).containsExactly("q3");
  }

  @Test
  void ofTwoNodesWithCapacityTheOneThatHoldsTheQueueIsPreferred() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.72)
            .node("q2", NodeState.NORMAL, 0.10)
            .node("q3", NodeState.NORMAL, 0.15)
            .queue("hot", 0.0008, Map.of("q1", 900, "q3", 100))
            .queue("cold", 0.0001, Map.of("q2", 1000));
    decide("q1", world);
    assertThat(receivers(decide("q1", world))).containsExactly("q3");
  }

  @Test
  void aSegmentIsMovedWholeRatherThanLeftWithLessThanAMinimumWeight() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.70)
            .node("q2", NodeState.NORMAL, 0.10)
            .queue("hot", 0.01, Map.of("q1", 25, "q2", 975))
            .queue("cold", 0.0001, Map.of("q1", 500, "q2", 500));
    decide("q1", world);
    WeightMove move = decide("q1", world).moves().get(0).move();
    assertThat(move.points()).isEqualTo(25);
  }

  @Test
  void theLastSegmentButOneIsKeptWhenTheQueueNeedsTwo() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.70)
            .node("q2", NodeState.NORMAL, 0.10)
            .queue(new ObservedQueue("hot", 1, Map.of("q1", 25, "q2", 975), 2, 0.01));
    decide("q1", world);
    WeightMove move = decide("q1", world).moves().get(0).move();
    assertThat(move.points()).isEqualTo(20);
  }

  @Test
  void anUnmeasuredQueueIsHalvedAndThenObserved() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.8)
            .node("q2", NodeState.NORMAL, 0.05)
            .queue("new", Double.NaN, Map.of("q1", 800, "q2", 200));
    decide("q1", world);
    BalancingDecision decision = decide("q1", world);
    assertThat(decision.moves().get(0).move().points()).isEqualTo(400);
    World moved = world.with(decision.moves());
    for (int tick = 0; tick < 5; tick++) {
      assertThat(decide("q1", moved).moves()).isEmpty();
    }
  }

  @Test
  void aLessCapableNodeGetsOnlyWhatItCanTake() {
    World world =
        new World()
            .node("q1", NodeState.TOOBUSY, 0.9)
            .node(new ObservedNode("weak", NodeState.NORMAL, 0.1, 0.25, true))
            .queue("hot", 0.0009, Map.of("q1", 1000))
            .queue("cold", 0.00001, Map.of("weak", 1000));
    decide("q1", world);
    double coming = shed(decide("q1", world));
    assertThat((0.1 * 0.25 + coming) / 0.25).isLessThanOrEqualTo(0.60 + 1e-9);
    assertThat(coming).isPositive();
  }

  @Test
  void theLeastLoadedOfTheLeastCapableNodesEmptiesItselfOntoTheMostCapable() {
    World world =
        new World()
            .node("q1", NodeState.NORMAL, 0.20)
            .node("q2", NodeState.NORMAL, 0.15)
            .node(new ObservedNode("weak", NodeState.NORMAL, 0.30, 0.25, true))
            .queue("a", 0.0002, Map.of("q1", 600, "weak", 400))
            .queue("b", 0.0002, Map.of("q1", 400, "q2", 600));
    assertThat(quiet("weak", world).kind()).isEqualTo(BalancingKind.SCALE_IN);
    memory = BalancingMemory.EMPTY;
    BalancingDecision decision = quiet("weak", world);
    assertThat(receivers(decision)).containsExactly("q1");
    assertThat(decision.reason()).startsWith("emptied weak").contains("400 points of a to q1");
    memory = BalancingMemory.EMPTY;
    assertThat(quiet("q2", world).kind()).as("one at a time").isNull();
  }

  @Test
  void aNodeIsNotEmptiedWhenAReceiverWouldBecomeBusy() {
    World world =
        new World()
            .node("q1", NodeState.NORMAL, 0.30)
            .node("q2", NodeState.NORMAL, 0.25)
            .queue("a", 0.00055, Map.of("q1", 545, "q2", 455));
    assertThat(quiet("q2", world).moves()).isEmpty();
  }

  @Test
  void aNodeIsNotEmptiedWhenAQueueWouldHaveTooFewSegments() {
    World world =
        new World()
            .node("q1", NodeState.NORMAL, 0.05)
            .node("q2", NodeState.NORMAL, 0.05)
            .queue("a", 0.00001, Map.of("q2", 1000))
            .queue(new ObservedQueue("b", 1, Map.of("q1", 500, "q2", 500), 2, 0.0001));
    assertThat(quiet("q1", world).moves()).isEmpty();
    assertThat(quiet("q2", world).moves()).isEmpty();
  }

  @Test
  void nothingIsEmptiedWhileWeightsHaveJustChanged() {
    World world = calm();
    assertThat(quiet("q2", world).kind()).isEqualTo(BalancingKind.SCALE_IN);
    memory = BalancingMemory.EMPTY;
    decide("q2", world);
    now += World.SETTINGS.pace().quiet().toNanos() / 2;
    World changed = world.with(List.of(new PlannedMove(new WeightMove("a", 1, "q2", "q1", 10), 0)));
    decide("q2", changed);
    now += World.SETTINGS.pace().quiet().toNanos() / 2;
    assertThat(decide("q2", changed).kind()).isNull();
    now += World.SETTINGS.pace().quiet().toNanos() / 2;
    assertThat(decide("q2", changed).kind()).isEqualTo(BalancingKind.SCALE_IN);
  }

  @Test
  void aDrainedNodeMovesAllItsWeightAtOnceAndThenNothing() {
    World world = hotAndCold();
    BalancingDecision decision = policy.decide("q1", true, world.snapshot(), memory, now, random);
    assertThat(decision.kind()).isEqualTo(BalancingKind.DRAIN);
    World drained = world.with(decision.moves());
    assertThat(drained.queues()).noneMatch(queue -> queue.points().containsKey("q1"));
    BalancingDecision after =
        policy.decide("q1", true, drained.snapshot(), decision.memory(), now + TICK, random);
    assertThat(after.kind()).isNull();
  }

  private static World hotAndCold() {
    return new World()
        .node("q1", NodeState.TOOBUSY, 0.8)
        .node("q2", NodeState.NORMAL, 0.05)
        .queue("hot", 0.0008, Map.of("q1", 1000))
        .queue("cold", 0.00005, Map.of("q2", 1000));
  }

  private static World calm() {
    return new World()
        .node("q1", NodeState.NORMAL, 0.20)
        .node("q2", NodeState.NORMAL, 0.10)
        .queue("a", 0.0003, Map.of("q1", 667, "q2", 333));
  }

  private BalancingDecision decide(String self, World world) {
    BalancingDecision decision = policy.decide(self, false, world.snapshot(), memory, now, random);
    memory = decision.memory();
    now += TICK;
    return decision;
  }

  /** A decision after a quiet time. */
  private BalancingDecision quiet(String self, World world) {
    decide(self, world);
    now += World.SETTINGS.pace().quiet().toNanos();
    return decide(self, world);
  }

  private static double shed(BalancingDecision decision) {
    return decision.moves().stream().mapToDouble(PlannedMove::load).sum();
  }

  private static List<String> receivers(BalancingDecision decision) {
    return decision.moves().stream().map(planned -> planned.move().to()).distinct().toList();
  }
}
