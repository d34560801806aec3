package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The input of one simulation.
 *
 * @param name for display
 * @param curve expected arrivals
 * @param spread distribution of events around it
 * @param seed of random numbers
 * @param seconds duration of arrivals
 * @param drain maximum seconds after the arrivals in which workers may empty the queue; ends when
 *     nothing is waiting
 * @param step resolution of the virtual clock; ticks and times of workers are rounded to it
 * @param workers behaviour of workers
 * @param cluster capacity of the cluster
 * @param disturbances faults
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
      throw new IllegalArgumentException("scenarios and steps must be longer than zero");
    }
  }

  /** Even arrivals in steps of a second, without limits and faults. */
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

  /** The same scenario, continued until nothing is waiting, at most for this time. */
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

  /** Product of the active factors of this kind; 1 if there are none. */
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
   * Capacity of the cluster.
   *
   * @param slots maximum number of running workers
   * @param nodeCapacity events per second that the queue node can finish; infinite for a node that
   *     is never the bottleneck
   * @param crowd number of running workers above which the node slows down in proportion, because
   *     their open connections cost it (H-214)
   */
  public record Cluster(int slots, double nodeCapacity, int crowd) {
    public Cluster {
      if (slots < 1 || crowd < 1 || !(nodeCapacity > 0)) {
        throw new IllegalArgumentException(
            "slots, crowd and the capacity of the node must be above 0");
      }
    }

    /** Unlimited slots and queue node. */
    public static Cluster unlimited() {
      return new Cluster(Integer.MAX_VALUE, Double.POSITIVE_INFINITY, Integer.MAX_VALUE);
    }
  }

  /**
   * A fault of limited duration.
   *
   * @param kind of fault
   * @param from seconds from the start
   * @param until seconds from the start
   * @param factor severity, see {@link Kind}
   */
  public record Disturbance(Kind kind, double from, double until, double factor) {

    /** Kinds of faults. */
    public enum Kind {
      /** The queue node finishes only this share of the events that it could. */
      SLOW_NODE,
      /** The batch system takes this multiple of the time to start a worker. */
      SLOW_STARTS,
      /** This share of the workers fails; their events are redelivered. */
      FAILING_WORKERS,
      /** Only this share of the slots is available. */
      FEWER_SLOTS,
      /** The queue manager is down; its successor starts from the recorded state. */
      NO_MANAGER,
      /** No worker receives events. */
      NO_SERVICE
    }

    boolean holds(double second) {
      return second >= from && second < until;
    }
  }

  /** Distribution of events around the expected rate. */
  public enum Spread {
    /** At equal intervals. */
    EVEN,
    /** Random and independent. */
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

  /** Situations that the publication describes or that operators fear, ready to run. */
  public enum BuiltinScenario {
    SINE("three raised sines with a peak of 50/s, as in table 4.2"),
    CRASH("the queue manager is down from 60 min to 65 min at 20/s (B.61, B.62)"),
    BACKLOG("workers receive no events for 20 min at 20/s"),
    BURST("5/s, then ten times that rate for 10 min"),
    OVERLOAD("for 10 min the queue node finishes a fifth of its capacity (B.58 to B.60)"),
    BATCH_SYSTEM("for 20 min the batch system takes thirty times as long to start workers (H-215)"),
    FAILING("for 20 min half of the workers fail and their events are redelivered");

    private static final double HOUR = 3600;
    private static final double MINUTE = 60;

    private final String words;

    BuiltinScenario(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }

    /** Name on the command line. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    public static BuiltinScenario named(String word) {
      List<String> words = new ArrayList<>();
      for (BuiltinScenario one : values()) {
        if (one.word().equals(word)) {
          return one;
        }
        words.add(one.word());
      }
      throw new IllegalArgumentException(
          "no scenario '" + word + "': use " + String.join(", ", words));
    }

    /** The scenario with these workers. */
    public Scenario scenario(WorkerBehaviour workers) {
      return switch (this) {
        case SINE -> steady(RateCurve.raisedSine(50, 4000, 12_000), 12_000, workers);
        case CRASH ->
            steady(RateCurve.constant(20), 2 * HOUR, workers)
                .with(new Disturbance(Kind.NO_MANAGER, HOUR, HOUR + 5 * MINUTE, 1));
        case BACKLOG ->
            steady(RateCurve.constant(20), 2 * HOUR, workers)
                .with(new Disturbance(Kind.NO_SERVICE, 30 * MINUTE, 50 * MINUTE, 1));
        case BURST ->
            steady(
                second -> 5 * second + 45 * Math.min(10 * MINUTE, Math.max(0, second - HOUR)),
                2 * HOUR,
                workers);
        case OVERLOAD ->
            steady(RateCurve.constant(20), 2 * HOUR, workers)
                .with(new Cluster(200, 50, 20))
                .with(new Disturbance(Kind.SLOW_NODE, 30 * MINUTE, 40 * MINUTE, 0.2));
        case BATCH_SYSTEM ->
            steady(RateCurve.constant(20), 2 * HOUR, workers)
                .with(new Disturbance(Kind.SLOW_STARTS, 30 * MINUTE, 50 * MINUTE, 30));
        case FAILING ->
            steady(RateCurve.constant(20), 2 * HOUR, workers)
                .with(new Disturbance(Kind.FAILING_WORKERS, 30 * MINUTE, 50 * MINUTE, 0.5));
      };
    }

    private Scenario steady(RateCurve curve, double seconds, WorkerBehaviour workers) {
      return Scenario.of(word(), curve, seconds, workers);
    }
  }
}
