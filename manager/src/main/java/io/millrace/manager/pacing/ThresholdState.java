package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;
import java.util.ArrayList;
import java.util.List;

/**
 * What the published rule remembers.
 *
 * @param rate workers per second; 0 before the first tick
 * @param owed what the rate has earned, in workers, less those submitted: from -1 to 0, because a
 *     worker is due as soon as the rate begins to earn it
 * @param readings queue lengths of the history, the newest last
 * @param sinceReading seconds since the newest
 * @param sinceEvaluation seconds since the rate was last looked at
 */
@Pure
public record ThresholdState(
    double rate, double owed, List<Long> readings, double sinceReading, double sinceEvaluation) {
  /** Ticks come a little early or late; a reading that is due within this much is due. */
  private static final double JITTER = 1e-6;

  public ThresholdState {
    readings = List.copyOf(readings);
  }

  static ThresholdState fresh() {
    return new ThresholdState(0, 0, List.of(), 0, 0);
  }

  ThresholdState miss(double seconds) {
    return new ThresholdState(
        rate, owed, readings, sinceReading + seconds, sinceEvaluation + seconds);
  }

  /**
   * Takes a reading when one is due; forgets all of them after a gap and in a new process. A queue
   * that was never paced is read and evaluated at once.
   */
  ThresholdState observe(long waiting, double seconds, PacingSettings settings) {
    ThresholdState later = miss(seconds);
    if (rate == 0) {
      double due = Seconds.of(settings.threshold().evaluateEvery());
      return new ThresholdState(rate, owed, List.of(waiting), 0, due);
    }
    if (seconds <= 0 || later.sinceReading > settings.longestGapSeconds()) {
      return new ThresholdState(rate, owed, List.of(), 0, 0);
    }
    if (later.sinceReading < Seconds.of(settings.threshold().readEvery()) - JITTER) {
      return later;
    }
    List<Long> kept = new ArrayList<>(readings);
    kept.add(waiting);
    int most = readingsInHistory(settings);
    while (kept.size() > most) {
      kept.remove(0);
    }
    return new ThresholdState(rate, owed, kept, 0, later.sinceEvaluation);
  }

  boolean evaluationDue(PacingSettings settings) {
    return sinceEvaluation >= Seconds.of(settings.threshold().evaluateEvery()) - JITTER;
  }

  /** Successive readings above the limit, counted back from the newest (H-172). */
  int breaches(long upperLimit) {
    int count = 0;
    while (count < readings.size() && readings.get(readings.size() - 1 - count) > upperLimit) {
      count++;
    }
    return count;
  }

  long empties(long lowerLimit) {
    return readings.stream().filter(reading -> reading <= lowerLimit).count();
  }

  ThresholdState evaluated(double newRate) {
    return new ThresholdState(newRate, owed, readings, sinceReading, 0);
  }

  ThresholdState owing(double newRate, double newOwed) {
    return new ThresholdState(newRate, newOwed, readings, sinceReading, sinceEvaluation);
  }

  private static int readingsInHistory(PacingSettings settings) {
    double every =
        Math.max(Seconds.of(settings.threshold().readEvery()), Seconds.of(settings.tick()));
    return (int) Math.max(1, Math.round(Seconds.of(settings.history()) / every));
  }
}
