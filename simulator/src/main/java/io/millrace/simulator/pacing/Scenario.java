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

  /**
   * What the workers run on.
   *
   * @param slots workers that may run at once
   * @param nodeCapacity events per second that the queue node can finish; infinite for a node that
   *     is never the bottleneck
   * @param crowd running workers above which the node gets slower the more there are, because their
   *     open connections cost it (H-214)
   */
  public record Cluster(int slots, double nodeCapacity, int crowd) {
    public Cluster {
      if (slots < 1 || crowd < 1 || !(nodeCapacity > 0)) {
        throw new IllegalArgumentException("slots, crowd and the capacity of the node are above 0");
      }
    }

    /** Slots and a queue node without limit. */
    public static Cluster unlimited() {
      return new Cluster(Integer.MAX_VALUE, Double.POSITIVE_INFINITY, Integer.MAX_VALUE);
    }
  }

  /**
   * Something that goes wrong for a while.
   *
   * @param kind what
   * @param from seconds from the start
   * @param until seconds from the start
   * @param factor how much, see {@link Kind}
   */
  public record Disturbance(Kind kind, double from, double until, double factor) {

    /** What may go wrong. */
    public enum Kind {
      /** The queue node finishes only that part of the events it could. */
      SLOW_NODE,
      /** The batch system needs so many times as long to start a worker. */
      SLOW_STARTS,
      /** That part of the workers fails; their events come back. */
      FAILING_WORKERS,
      /** Only that part of the slots is there. */
      FEWER_SLOTS,
      /** The queue manager is gone; its successor starts from the recorded state. */
      NO_MANAGER,
      /** No worker takes events, as if none were served. */
      NO_SERVICE
    }

    boolean holds(double second) {
      return second >= from && second < until;
    }
  }

  /** How single events fall around the expected rate. */
  public enum Spread {
    /** At equal distances. */
    EVEN,
    /** At random, each independent of the others. */
    POISSON
  }

  /** Durations in steps of the virtual clock. */
  static final class Steps {
    private Steps() {}

    static double seconds(Duration duration) {
      return duration.getSeconds() + duration.getNano() / 1e9;
    }

    static double exact(Duration duration, double stepSeconds) {
      return seconds(duration) / stepSeconds;
    }

    static Duration duration(double seconds) {
      return Duration.ofNanos(Math.round(seconds * 1e9));
    }
  }
}
