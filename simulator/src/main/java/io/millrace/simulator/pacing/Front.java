package io.millrace.simulator.pacing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The settings of one policy of which no other is better in runs and in mean wait at once.
 *
 * @param policy its name
 * @param points by rising runs and falling waits
 */
public record Front(String policy, List<PacingResult> points) {
  /** Waits are compared to the millisecond; the clock's steps are much longer. */
  private static final double SAME_WAIT = 0.001;

  public Front {
    points = List.copyOf(points);
  }

  /** Keeps of these results those that no other beats. */
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
   * Whether for each point of the other front there is one here with neither more runs nor a longer
   * wait. Waits that differ by less than a millisecond are alike; so may both fronts be.
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
