package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.PacingResult.PacingSample;
import java.util.ArrayList;
import java.util.List;

/** Collects the points of the published curves at chart resolution. Used by one thread. */
public final class Curves {
  /** Collects nothing. */
  static final Curves NONE = new Curves(Double.POSITIVE_INFINITY);

  private final double interval;
  private final List<PacingSample> samples = new ArrayList<>();
  private double last;
  private long events;
  private long workers;
  private double waitingSum;
  private long steps;
  private double longestDelay;

  private Curves(double interval) {
    this.interval = interval;
  }

  /**
   * Collects about this number of points.
   *
   * @param seconds length of the simulation
   */
  public static Curves of(double seconds, int points) {
    return new Curves(seconds / points);
  }

  /** A collector that collects nothing. */
  public static Curves none() {
    return NONE;
  }

  public List<PacingSample> samples() {
    return List.copyOf(samples);
  }

  void note(double second, int arrived, int submitted, long waiting, double delay) {
    events += arrived;
    workers += submitted;
    waitingSum += waiting;
    steps++;
    longestDelay = Math.max(longestDelay, delay);
    double passed = second - last;
    if (passed >= interval) {
      samples.add(
          new PacingSample(
              second,
              events / passed,
              workers / passed,
              Math.round(waitingSum / steps),
              longestDelay));
      last = second;
      events = 0;
      workers = 0;
      waitingSum = 0;
      steps = 0;
      longestDelay = 0;
    }
  }
}
