package io.millrace.tests.drill.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Schedules the faults of a round: they overlap, except faults with a common target. */
public final class RoundPlan {
  // Time for a target to recover before it is hit again.
  private static final Duration RECOVERY = Duration.ofSeconds(6);

  private final RandomGenerator random;
  private final Duration gap;
  private final Map<String, Duration> busy = new HashMap<>();
  private final List<PlannedFault> plan = new ArrayList<>();
  private Duration next = Duration.ZERO;

  /**
   * An empty plan.
   *
   * @param gap mean time from the start of one fault to that of the next
   */
  public RoundPlan(RandomGenerator random, Duration gap) {
    this.random = random;
    this.gap = gap;
  }

  /** Adds a fault that begins after those before it, once no other fault affects its targets. */
  public RoundPlan add(Fault fault) {
    Duration lasts =
        fault
            .shortest()
            .plusMillis(random.nextLong(1 + fault.longest().minus(fault.shortest()).toMillis()));
    Duration begin =
        fault.touches().stream()
            .map(one -> busy.getOrDefault(one, Duration.ZERO))
            .reduce(next, (one, other) -> one.compareTo(other) > 0 ? one : other);
    fault.touches().forEach(one -> busy.put(one, begin.plus(lasts).plus(RECOVERY)));
    plan.add(new PlannedFault(fault, begin, lasts));
    next = next.plusMillis(random.nextLong(2 * gap.toMillis()));
    return this;
  }

  /** Adds several faults. */
  public RoundPlan addAll(Collection<Fault> faults) {
    faults.forEach(this::add);
    return this;
  }

  /**
   * Plans a round of that many short faults, or a long fault with as many short ones as fit in its
   * duration. One deck may be empty, not both.
   *
   * @param round from 1; every third round has a long fault
   */
  public static List<PlannedFault> of(
      int round, FaultDeck shortOnes, FaultDeck longOnes, int count, Duration gap, long seed) {
    RoundPlan plan = new RoundPlan(new Random(seed + round), gap);
    if (shortOnes.size() == 0) {
      return plan.add(longOnes.deal()).plan();
    }
    if (round % 3 != 0 || longOnes.size() == 0) {
      return plan.addAll(shortOnes.deal(count)).plan();
    }
    plan.add(longOnes.deal());
    Duration end = plan.plan.get(0).lasts();
    while (plan.next.compareTo(end) < 0) {
      plan.add(shortOnes.deal());
    }
    return plan.plan();
  }

  /** The planned faults, in the order in which they were dealt. */
  public List<PlannedFault> plan() {
    return List.copyOf(plan);
  }
}
