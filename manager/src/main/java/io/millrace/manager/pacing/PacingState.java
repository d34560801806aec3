package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.Seconds;
import io.millrace.manager.pacing.ThresholdPolicy.ThresholdState;

/**
 * The state of a policy between ticks. It is recorded with each decision and resumed after a crash
 * (H-217). Both policies keep all of it, so a queue can change its policy.
 *
 * @param arrivals the measured arrival rate
 * @param completions whether more workers led to more acknowledged events
 * @param threshold the rate of the published rule
 */
@Pure
public record PacingState(
    ArrivalEstimate arrivals, CompletionWatch completions, ThresholdState threshold) {

  /** The initial state of a queue. */
  public static PacingState initial() {
    return new PacingState(
        ArrivalEstimate.unknown(), CompletionWatch.fresh(), ThresholdState.fresh());
  }

  /** After a tick at which everything was read. */
  PacingState observe(
      double seconds, QueueFigures queue, WorkerFigures workers, PacingSettings settings) {
    return new PacingState(
        arrivals.observe(queue.inserted(), seconds, settings),
        completions.observe(queue.acknowledged(), workers, seconds, settings),
        threshold.observe(queue.waiting(), seconds, settings));
  }

  /** After a tick at which something could not be read. */
  PacingState miss(double seconds) {
    return new PacingState(arrivals.miss(seconds), completions.miss(), threshold.miss(seconds));
  }

  PacingState withThreshold(ThresholdState newThreshold) {
    return new PacingState(arrivals, completions, newThreshold);
  }

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

    /** Whether arrivals were ever measured: otherwise a rate of 0 means nothing. */
    boolean known() {
      return variance < UNKNOWN;
    }
  }

  /**
   * Compares how many events were acknowledged in successive windows with how many workers ran, to
   * detect work without effect: a slow database behind the workers makes the queue longer, and more
   * workers make it worse (H-214, H-178).
   *
   * @param acknowledged the counter at the last reading; negative if there is none
   * @param seconds length of the current window so far
   * @param completed events acknowledged in it
   * @param workerSeconds sum over the window of running workers times seconds
   * @param idle whether at some tick of the window no worker ran
   * @param lastRate acknowledged events per second in the previous window
   * @param lastRunning mean number of running workers in the previous window
   * @param flatWindows successive windows in which work had no effect
   */
  @Pure
  record CompletionWatch(
      long acknowledged,
      double seconds,
      long completed,
      double workerSeconds,
      boolean idle,
      double lastRate,
      double lastRunning,
      int flatWindows) {
    private static final long NO_READING = -1;

    /** Share by which workers must rise, and of that share, by which completions must follow. */
    private static final double TENTH = 0.1;

    /** A smaller rise in the mean number of workers is not significant. */
    private static final double SMALLEST_RISE = 2;

    static CompletionWatch fresh() {
      return new CompletionWatch(NO_READING, 0, 0, 0, false, 0, 0, 0);
    }

    /** Whether two windows in succession showed no effect of the work. */
    boolean flat() {
      return flatWindows >= 2;
    }

    CompletionWatch miss() {
      return restart(NO_READING);
    }

    CompletionWatch observe(
        long acknowledgedNow, WorkerFigures workers, double elapsed, PacingSettings settings) {
      if (acknowledgedNow < acknowledged) {
        return fresh().restart(acknowledgedNow);
      }
      if (acknowledged < 0 || elapsed <= 0 || elapsed > settings.longestGapSeconds()) {
        return restart(acknowledgedNow);
      }
      CompletionWatch longer =
          new CompletionWatch(
              acknowledgedNow,
              seconds + elapsed,
              completed + acknowledgedNow - acknowledged,
              workerSeconds + workers.running() * elapsed,
              idle || workers.running() == 0,
              lastRate,
              lastRunning,
              flatWindows);
      double twoRuns = workers.runTime().map(run -> 2 * Seconds.of(run)).orElse(0.0);
      double window = Math.max(settings.longestGapSeconds(), twoRuns);
      return longer.seconds < window ? longer : longer.close();
    }

    private CompletionWatch close() {
      double rate = completed / seconds;
      double running = workerSeconds / seconds;
      int flatNow = !idle && (completed == 0 || ineffective(rate, running)) ? flatWindows + 1 : 0;
      return new CompletionWatch(acknowledged, 0, 0, 0, false, rate, running, flatNow);
    }

    private boolean ineffective(double rate, double running) {
      double rise = running - lastRunning;
      if (lastRunning <= 0 || rise < Math.max(SMALLEST_RISE, TENTH * lastRunning)) {
        return false;
      }
      return rate < lastRate * (1 + TENTH * rise / lastRunning);
    }

    private CompletionWatch restart(long acknowledgedNow) {
      return new CompletionWatch(
          acknowledgedNow, 0, 0, 0, false, lastRate, lastRunning, flatWindows);
    }
  }
}
