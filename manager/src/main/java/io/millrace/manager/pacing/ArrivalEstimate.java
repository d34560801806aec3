package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;

/**
 * The arrival rate, measured from the counter of first-time inserts (H-178): a filter for a level
 * that drifts by a share of itself and is observed through Poisson noise, so that it follows as
 * fast as the number of events permits.
 *
 * <p>One surprising tick raises it no further than the limit of surprise, because a burst is
 * waiting in the queue already and is counted there; a second one in the same direction is a step
 * and is followed at once.
 *
 * @param rate events per second
 * @param variance how uncertain the rate is, in (events per second) squared
 * @param inserted the counter at the last reading; negative if there is none
 * @param unmeasured seconds since that reading
 * @param surprise direction of the last tick's surprise: -1, 0 or 1
 */
@Pure
record ArrivalEstimate(
    double rate, double variance, long inserted, double unmeasured, int surprise) {
  private static final long NO_READING = -1;
  private static final double STEP_GAIN = 0.8;
  private static final double UNKNOWN = 1e6;

  /** Three standard deviations, squared. */
  private static final double SURPRISING = 9;

  static ArrivalEstimate unknown() {
    return new ArrivalEstimate(0, UNKNOWN, NO_READING, 0, 0);
  }

  ArrivalEstimate miss(double seconds) {
    return new ArrivalEstimate(rate, variance, inserted, unmeasured + seconds, surprise);
  }

  ArrivalEstimate observe(long insertedNow, double seconds, PacingSettings settings) {
    double interval = unmeasured + seconds;
    // At the first tick of a process the time since the recorded reading is unknown; a counter
    // that
    // went backwards is another store's. Neither may be read as a rate.
    boolean measurable = seconds > 0 && inserted >= 0 && insertedNow >= inserted;
    if (!measurable || interval > settings.longestGapSeconds()) {
      return new ArrivalEstimate(rate, variance, insertedNow, 0, 0);
    }
    if (interval < Seconds.of(settings.tick()) / 4) {
      return new ArrivalEstimate(rate, variance, inserted, interval, surprise);
    }
    double smoothing = Seconds.of(settings.demand().smoothing());
    return update((insertedNow - inserted) / interval, interval, smoothing, insertedNow);
  }

  private ArrivalEstimate update(
      double measured, double interval, double smoothing, long insertedNow) {
    double scale = Math.max(rate, 1 / interval);
    double prior = variance + scale * scale * interval / (smoothing * smoothing);
    double noise = scale / interval;
    double gain = prior / (prior + noise);
    double difference = measured - rate;
    double expected = Math.sqrt(SURPRISING * (prior + noise));
    int direction = Math.abs(difference) > expected ? (int) Math.signum(difference) : 0;
    if (direction != 0 && direction == surprise) {
      gain = Math.max(gain, STEP_GAIN);
    } else if (direction > 0) {
      difference = expected;
    }
    return new ArrivalEstimate(
        Math.max(0, rate + gain * difference), (1 - gain) * prior, insertedNow, 0, direction);
  }

  /** The rate that is planned for when it is expected to change. */
  ArrivalEstimate changed(double change) {
    return change == 0 || !known()
        ? this
        : new ArrivalEstimate(Math.max(0, rate + change), variance, inserted, unmeasured, surprise);
  }

  /** Whether arrivals were ever measured: otherwise a rate of 0 means nothing. */
  boolean known() {
    return variance < UNKNOWN;
  }
}
