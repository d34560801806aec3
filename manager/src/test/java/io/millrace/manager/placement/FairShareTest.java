package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FairShareTest {
  private final Map<String, ShareTurn> turns = new HashMap<>();
  private final Map<String, Integer> starts = new HashMap<>();
  private double virtualTime;

  @Test
  void tenThousandStartsFollowTheWeights() {
    weight("a", 3);
    weight("b", 1);
    while (total() < 10_000) {
      round(7, "a", "b");
    }
    assertThat((double) starts.get("a") / starts.get("b")).isCloseTo(3, within(0.15));
  }

  @Test
  void widerJobsAreChargedMore() {
    weight("a", 1);
    weight("b", 1);
    for (int i = 0; i < 1000; i++) {
      World world = world(4);
      for (int job = 0; job < 4; job++) {
        world.job(Shape.ofSlots("default", "a", 0, 2));
        world.job(Shape.ofSlots("default", "b", 0, 1));
      }
      apply(world.place());
    }
    assertThat((double) starts.get("b") / starts.get("a")).isCloseTo(2, within(0.1));
  }

  @Test
  void anIdleShareEarnsNoCredit() {
    weight("a", 1);
    weight("b", 1);
    for (int i = 0; i < 100; i++) {
      round(5, "a");
    }
    starts.clear();
    for (int i = 0; i < 20; i++) {
      round(5, "a", "b");
    }
    assertThat(starts.get("b")).isBetween(49, 52);
  }

  @Test
  void theLongerBacklogOfASmallShareDoesNotOvertakeByAge() {
    weight("a", 3);
    weight("b", 1);
    for (int i = 0; i < 400; i++) {
      World world = world(4);
      for (int job = 0; job < 4; job++) {
        world.job(Shape.ofSlots("default", "a", 0, 1), Duration.ofMinutes(1));
        world.job(Shape.ofSlots("default", "b", 0, 1), Duration.ofHours(9));
      }
      apply(world.place());
    }
    assertThat((double) starts.get("a") / starts.get("b")).isCloseTo(3, within(0.15));
  }

  private void weight(String share, double weight) {
    turns.put(share, new ShareTurn(weight, 0));
  }

  private World world(int slots) {
    World world = new World().with(World.node("e1", slots, 0)).virtualTime(virtualTime);
    turns.forEach((share, turn) -> world.share(share, turn.weight(), turn.pass()));
    return world;
  }

  private void round(int slots, String... shares) {
    World world = world(slots);
    for (String share : shares) {
      for (int job = 0; job < slots; job++) {
        world.job(Shape.ofSlots("default", share, 0, 1));
      }
    }
    apply(world.place());
  }

  private void apply(PlacementPlan plan) {
    plan.placements().forEach(one -> starts.merge(one.shape().share(), 1, Integer::sum));
    plan.charges()
        .forEach(
            (share, charge) -> {
              turns.put(share, new ShareTurn(turns.get(share).weight(), charge.pass()));
              virtualTime = Math.max(virtualTime, charge.startTag());
            });
  }

  private int total() {
    return starts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
