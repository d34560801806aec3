package io.millrace.simulator.balance;

import io.millrace.simulator.balance.DayPlan.QueueProfile;
import java.util.List;
import java.util.random.RandomGenerator;

/** Events per second of every queue: its profile with slow noise. Not thread-safe. */
final class Traffic {
  private static final double MINUTE = 60;

  private final List<QueueProfile> profiles;
  private final double noise;
  private final RandomGenerator random;
  private final double[] deviations;
  private final double[] rates;

  Traffic(List<QueueProfile> profiles, double noise, RandomGenerator random) {
    this.profiles = profiles;
    this.noise = noise;
    this.random = random;
    this.deviations = new double[profiles.size()];
    this.rates = new double[profiles.size()];
  }

  /** Advances by a number of seconds to a second of the day. */
  void advance(double second, double seconds) {
    // An autoregressive process with a time constant of a minute, so that noise does not average
    // out.
    double kept = Math.exp(-seconds / MINUTE);
    double fresh = noise * Math.sqrt(1 - kept * kept);
    for (int i = 0; i < rates.length; i++) {
      deviations[i] = kept * deviations[i] + fresh * random.nextGaussian();
      rates[i] = Math.max(0, profiles.get(i).rate(second) * (1 + deviations[i]));
    }
  }

  double rate(int queue) {
    return rates[queue];
  }
}
