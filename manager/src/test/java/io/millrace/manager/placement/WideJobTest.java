package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementPlan.Placement;
import io.millrace.manager.placement.PlacementPlan.ShareCharge;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class WideJobTest {
  private static final int SLOTS = 4;
  private static final Shape WIDE = Shape.ofSlots("default", "wide", 0, SLOTS);
  private static final Shape NARROW = Shape.ofSlots("default", "narrow", 0, 1);

  private record Running(String node, int slots, int endsAt) {}

  /** A full cluster on which narrow jobs wait without end, one second a step. */
  @Property(tries = 50)
  void aWideJobStartsEventuallyUnderAStreamOfNarrowOnes(
      @ForAll long seed, @ForAll boolean oneHasALastingProgram) {
    Random random = new Random(seed);
    List<Running> running = new ArrayList<>();
    Map<String, ShareTurn> turns = new HashMap<>();
    double virtualTime = 0;
    Instant submitted = World.NOW;
    for (int second = 0; second < 600; second++) {
      int now = second;
      running.removeIf(one -> one.endsAt() <= now);
      World world = new World().at(submitted.plusSeconds(second)).virtualTime(virtualTime);
      for (String name : List.of("e1", "e2")) {
        boolean lasting = oneHasALastingProgram && name.equals("e1");
        world.with(node(name, used(running, name) + (lasting ? 1 : 0), lasting ? 1 : 0));
      }
      turns.forEach((share, turn) -> world.share(share, turn.weight(), turn.pass()));
      for (int i = 0; i < 3 * SLOTS; i++) {
        world.job(NARROW, Duration.ofSeconds(1));
      }
      world.job(WIDE, Duration.ofSeconds(second));
      PlacementPlan plan = world.place();
      if (plan.placements().stream().anyMatch(one -> one.shape().equals(WIDE))) {
        return;
      }
      for (Placement one : plan.placements()) {
        running.add(new Running(one.nodeName(), 1, second + 1 + random.nextInt(20)));
      }
      for (Map.Entry<String, ShareCharge> charge : plan.charges().entrySet()) {
        turns.put(charge.getKey(), new ShareTurn(1, charge.getValue().pass()));
        virtualTime = Math.max(virtualTime, charge.getValue().startTag());
      }
    }
    throw new AssertionError("the wide job never started; seed " + seed);
  }

  @Property(tries = 20)
  void noRoomIsKeptForAJobThatHasNotWaitedLong(@ForAll boolean shortly) {
    World world = new World().with(World.node("e1", SLOTS, 1));
    world.share("wide", 1, 0).share("narrow", 1, 5);
    world.job(WIDE, Duration.ofSeconds(shortly ? 29 : 30));
    world.job(NARROW, Duration.ofSeconds(1));
    assertThat(world.place().placements()).hasSize(shortly ? 1 : 0);
  }

  private static int used(List<Running> running, String node) {
    return running.stream().filter(one -> one.node().equals(node)).mapToInt(Running::slots).sum();
  }

  private static PlacementNode node(String name, int used, int lasting) {
    NodeCapacity capacity = NodeCapacity.ofSlots(SLOTS);
    return new PlacementNode(
        new UUID(0, name.hashCode()),
        name,
        null,
        capacity,
        NodeFacts.of(name, capacity, List.of(), Map.of()),
        new Amounts(used, 0, 0, Map.of()),
        new Amounts(lasting, 0, 0, Map.of()),
        0,
        null,
        Map.of());
  }
}
