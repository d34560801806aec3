package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.Seconds;

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
    return new CompletionWatch(acknowledgedNow, 0, 0, 0, false, lastRate, lastRunning, flatWindows);
  }
}
