package io.millrace.simulator.pacing;

/** Expected number of events as a function of seconds since the start. Pure. */
@FunctionalInterface
public interface RateCurve {

  /** Expected number of events from the start until this time; never decreases. */
  double until(double second);

  /**
   * The published input: a sine raised to be never negative (H-190, H-194). Its phase is not
   * published; one that begins at the mean reproduces the tables best.
   *
   * @param max events per second at the peaks; half of it is the mean
   * @param period seconds
   * @param seconds length of the curve, in which each second has the rate of its beginning
   */
  static RateCurve raisedSine(double max, double period, int seconds) {
    double[] sums = new double[seconds + 1];
    for (int second = 0; second < seconds; second++) {
      sums[second + 1] = sums[second] + max / 2 * (1 + Math.sin(2 * Math.PI * second / period));
    }
    return second -> {
      int index = (int) Math.min(second, seconds - 1);
      return sums[index] + Math.min(1, second - index) * (sums[index + 1] - sums[index]);
    };
  }

  static RateCurve constant(double perSecond) {
    return second -> perSecond * second;
  }

  /** One rate until a time and another after it. */
  static RateCurve step(double before, double after, double moment) {
    return second -> before * Math.min(second, moment) + after * Math.max(0, second - moment);
  }

  /** The same curve scaled by a factor. */
  default RateCurve times(double factor) {
    return second -> factor * until(second);
  }
}
