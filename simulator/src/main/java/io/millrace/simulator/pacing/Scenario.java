package io.millrace.simulator.pacing;

import java.time.Duration;
import java.util.List;

/**
 * What one simulation runs through.
 *
 * @param name for people
 * @param curve expected arrivals
 * @param spread how events fall around it
 * @param seed of everything that happens by chance
 * @param seconds for which events arrive
 * @param drain seconds after them in which workers may still empty the queue; it ends when nothing
 *     waits
 * @param step resolution of the virtual clock; ticks and times of workers are rounded to it
 * @param workers how workers behave
 * @param cluster what they run on
 * @param disturbances what goes wrong
 */
public record Scenario(
    String name,
    RateCurve curve,
    Spread spread,
    long seed,
    double seconds,
    double drain,
    Duration step,
    WorkerBehaviour workers,
    Cluster cluster,
    List<Disturbance> disturbances) {
  public Scenario {
    disturbances = List.copyOf(disturbances);
    if (!(seconds > 0) || step.isNegative() || step.isZero()) {
      throw new IllegalArgumentException("a scenario and its steps are longer than zero");
    }
  }

  /** Even arrivals in steps of a second, nothing limited and nothing going wrong. */
  public static Scenario of(String name, RateCurve curve, double seconds, WorkerBehaviour workers) {
    return new Scenario(
        name,
        curve,
        Spread.EVEN,
        1,
        seconds,
        0,
        Duration.ofSeconds(1),
        workers,
        Cluster.unlimited(),
        List.of());
  }

  /** The same, going on until nothing waits, at most for so long. */
  public Scenario draining(double newDrain) {
    return new Scenario(
        name, curve, spread, seed, seconds, newDrain, step, workers, cluster, disturbances);
  }

  public Scenario with(Spread newSpread, long newSeed) {
    return new Scenario(
        name, curve, newSpread, newSeed, seconds, drain, step, workers, cluster, disturbances);
  }

  public Scenario with(Cluster newCluster) {
    return new Scenario(
        name, curve, spread, seed, seconds, drain, step, workers, newCluster, disturbances);
  }

  public Scenario with(Disturbance... more) {
    return new Scenario(
        name, curve, spread, seed, seconds, drain, step, workers, cluster, List.of(more));
  }

  /** Product of the factors of that kind that hold then; 1 when none does. */
  double factor(Disturbance.Kind kind, double second) {
    double product = 1;
    for (Disturbance one : disturbances) {
      if (one.kind() == kind && one.holds(second)) {
        product *= one.factor();
      }
    }
    return product;
  }

  boolean holds(Disturbance.Kind kind, double second) {
    for (Disturbance one : disturbances) {
      if (one.kind() == kind && one.holds(second)) {
        return true;
      }
    }
    return false;
  }
}
