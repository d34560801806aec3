package io.millrace.simulator.pacing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Runs one scenario with many values of the knob of each policy, and then with some between
 * neighbours of {@code demand} where a point of another policy is not matched yet, because its
 * front has steps at integers of events.
 *
 * @param scenario the cell
 * @param policies the compared policies
 * @param settings number of values of each knob; at most twice as many are added in between
 */
public record KnobSweep(Scenario scenario, ComparedPolicies policies, int settings) {
  private static final List<String> OTHERS =
      List.of(ComparedPolicies.THRESHOLD, ComparedPolicies.KEDA_ACCURATE);

  /** Neighbours with a smaller ratio are considered equal. */
  private static final double NEAR = 1.0002;

  public KnobSweep {
    if (settings < 2) {
      throw new IllegalArgumentException("a sweep needs at least 2 settings of each parameter");
    }
  }

  /**
   * Result of a sweep.
   *
   * @param fronts the front of each policy, {@code demand} first
   * @param dominated whether the first matches each point of all others and beats some of them; of
   *     two points that are the same, as where both start a worker for each event, neither is
   *     better
   */
  public record SweepOutcome(String scenario, List<Front> fronts, boolean dominated) {}

  public SweepOutcome run() {
    List<Front> others = new ArrayList<>();
    for (String policy : OTHERS) {
      others.add(Front.of(policy, knobs(policy).mapToObj(value -> run(policy, value)).toList()));
    }
    Front demand = demand(others);
    List<Front> fronts = new ArrayList<>(List.of(demand));
    fronts.addAll(others);
    boolean dominated =
        others.stream().allMatch(demand::matches) && others.stream().anyMatch(demand::dominates);
    return new SweepOutcome(scenario.name(), List.copyOf(fronts), dominated);
  }

  private Front demand(List<Front> others) {
    NavigableMap<Double, PacingResult> results = new TreeMap<>();
    knobs(ComparedPolicies.DEMAND)
        .forEach(value -> results.put(value, run(ComparedPolicies.DEMAND, value)));
    for (int added = 0; added < 2 * settings; added++) {
      Front front = Front.of(ComparedPolicies.DEMAND, List.copyOf(results.values()));
      OptionalDouble between =
          others.stream()
              .flatMap(other -> front.uncovered(other).stream())
              .mapToDouble(point -> between(results, point))
              .filter(value -> value > 0)
              .findFirst();
      if (between.isEmpty()) {
        return front;
      }
      double value = between.getAsDouble();
      results.put(value, run(ComparedPolicies.DEMAND, value));
    }
    return Front.of(ComparedPolicies.DEMAND, List.copyOf(results.values()));
  }

  /** The middle of the settings between which runs fall to those of the point; 0 for none. */
  private static double between(NavigableMap<Double, PacingResult> results, PacingResult point) {
    for (Map.Entry<Double, PacingResult> entry : results.entrySet()) {
      Map.Entry<Double, PacingResult> before = results.lowerEntry(entry.getKey());
      if (before != null && entry.getValue().runs() <= point.runs()) {
        boolean near = entry.getKey() / before.getKey() < NEAR;
        return near ? 0 : Math.sqrt(entry.getKey() * before.getKey());
      }
    }
    return 0;
  }

  private DoubleStream knobs(String policy) {
    return IntStream.range(0, settings).mapToDouble(index -> value(policy, index)).distinct();
  }

  private PacingResult run(String policy, double value) {
    return new PacingSimulation(scenario, policies.named(policy, value)).run();
  }

  /** At equal ratios over the useful range of the knob. */
  private double value(String policy, int index) {
    double share = (double) index / (settings - 1);
    return switch (policy) {
      case ComparedPolicies.DEMAND -> between(1e-4, 300, share);
      case ComparedPolicies.THRESHOLD -> Math.round(between(1, 50_000, share));
      default -> between(0.5, 40.0 * policies.workers().batch(), share);
    };
  }

  private static double between(double from, double to, double share) {
    return from * Math.pow(to / from, share);
  }

  /**
   * The settings of one policy that no other dominates in both runs and mean wait.
   *
   * @param policy name of the policy
   * @param points by rising runs and falling waits
   */
  public record Front(String policy, List<PacingResult> points) {
    /** Waits are compared to the millisecond; the clock's steps are much longer. */
    private static final double SAME_WAIT = 0.001;

    public Front {
      points = List.copyOf(points);
    }

    /** Keeps the results that no other dominates. */
    public static Front of(String policy, List<PacingResult> results) {
      List<PacingResult> sorted = new ArrayList<>(results);
      sorted.sort(
          Comparator.comparingLong(PacingResult::runs).thenComparingDouble(PacingResult::meanWait));
      List<PacingResult> kept = new ArrayList<>();
      for (PacingResult one : sorted) {
        if (kept.isEmpty() || one.meanWait() < kept.get(kept.size() - 1).meanWait()) {
          kept.add(one);
        }
      }
      return new Front(policy, kept);
    }

    /**
     * Whether for each point of the other front there is one here with neither more runs nor a
     * longer wait. Waits that differ by less than a millisecond are alike; so may both fronts be.
     */
    public boolean matches(Front other) {
      return uncovered(other).isEmpty();
    }

    /** Whether this front matches the other, and has a better point for some of its points. */
    public boolean dominates(Front other) {
      return matches(other) && other.points.stream().anyMatch(point -> covered(point, true));
    }

    /** Points of the other front for which there is none here with neither more runs nor wait. */
    public List<PacingResult> uncovered(Front other) {
      return other.points.stream().filter(point -> !covered(point, false)).toList();
    }

    private boolean covered(PacingResult point, boolean better) {
      return points.stream()
          .anyMatch(
              own ->
                  own.runs() <= point.runs()
                      && own.meanWait() <= point.meanWait() + SAME_WAIT
                      && (!better
                          || own.runs() < point.runs()
                          || own.meanWait() < point.meanWait() - SAME_WAIT));
    }
  }
}
