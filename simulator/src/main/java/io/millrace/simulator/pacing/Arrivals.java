package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.Scenario.Spread;
import java.util.SplittableRandom;

/**
 * Draws how many events arrive in successive steps. Equal seeds give equal arrivals; one thread.
 */
public final class Arrivals {
  /** Above it, a Poisson number is drawn from the normal distribution. */
  private static final double LARGE = 50;

  /** Compensates rounding errors of summed rates. */
  private static final double ROUNDING = 1e-6;

  private final RateCurve curve;
  private final Spread spread;
  private final SplittableRandom random;
  private double expected;
  private long arrived;

  public Arrivals(RateCurve curve, Spread spread, long seed) {
    this.curve = curve;
    this.spread = spread;
    this.random = new SplittableRandom(seed);
  }

  /** Number of events since the last call, which was for an earlier time. */
  public int until(double second) {
    double before = expected;
    expected = curve.until(second);
    if (spread == Spread.POISSON) {
      return poisson(expected - before);
    }
    long due = (long) (expected + ROUNDING);
    int now = (int) (due - arrived);
    arrived = due;
    return now;
  }

  private int poisson(double mean) {
    if (mean <= 0) {
      return 0;
    }
    if (mean > LARGE) {
      return (int) Math.max(0, Math.rint(mean + Math.sqrt(mean) * random.nextGaussian()));
    }
    double limit = Math.exp(-mean);
    double product = random.nextDouble();
    int events = 0;
    while (product > limit) {
      product *= random.nextDouble();
      events++;
    }
    return events;
  }
}
