package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.PacingResult.PacingSample;
import java.util.ArrayList;
import java.util.List;

/** Points of the published curves, so many that a chart shows them all. Used by one thread. */
public final class Curves {
  /** Notes nothing. */
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
   * About so many points over a time.
   *
   * @param seconds length of the simulation
   */
  public static Curves of(double seconds, int points) {
    return new Curves(seconds / points);
  }

  /** Some that note nothing. */
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
