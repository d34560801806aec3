package io.millrace.simulator.containers;

/**
 * Work of one kind, and its course over a day: a cosine between a night's low and a day's peak, and
 * a burst on top of it.
 *
 * @param name the kind
 * @param peakRate events per second at its usual peak
 * @param burst events per second during the burst, as so many times the usual ones; 1 for none
 * @param single whether only one instance may exist (H-263)
 */
record TaskType(String name, double peakRate, double burst, boolean single) {
  private static final double DAY = 86_400;
  private static final double LOW = 0.1;
  private static final double PEAK_AT = 16 * 3600;

  /** Usual events per second at a second of the day. */
  double usualRate(double second) {
    double height = (1 + Math.cos(2 * Math.PI * (second - PEAK_AT) / DAY)) / 2;
    return peakRate * (LOW + (1 - LOW) * height);
  }
}
