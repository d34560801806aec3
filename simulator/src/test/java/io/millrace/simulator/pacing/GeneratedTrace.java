package io.millrace.simulator.pacing;

import java.util.SplittableRandom;

/** A stream with a daily curve, a level that drifts and short bursts, from a seed. */
final class GeneratedTrace {
  private static final int INTERVAL = 300;
  private static final int INTERVALS = 86_400 / INTERVAL;

  private GeneratedTrace() {}

  static Trace day(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] begins = new double[INTERVALS];
    double[] values = new double[INTERVALS];
    double drift = 0;
    for (int i = 0; i < INTERVALS; i++) {
      drift = 0.9 * drift + 0.2 * random.nextGaussian();
      double daily = 1.2 - Math.cos(2 * Math.PI * i / INTERVALS);
      double burst = random.nextDouble() < 0.02 ? 6 : 1;
      begins[i] = (double) i * INTERVAL;
      values[i] = Math.rint(100 * daily * Math.exp(drift) * burst);
    }
    return Trace.of(begins, values);
  }
}
