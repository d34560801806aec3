package io.millrace.simulator.pacing;

/**
 * Figures of one simulation.
 *
 * @param policy its name
 * @param knob name of the setting that is varied
 * @param value of it
 * @param events that arrived
 * @param runs workers submitted
 * @param floorRuns runs if every worker were full
 * @param emptyRuns workers that found nothing
 * @param failedRuns workers that failed
 * @param waiting sum over the seconds of the queue length before workers take theirs, as in the
 *     published tables
 * @param meanWait seconds from an event's arrival until a worker takes it
 * @param longestWait greatest age, in seconds, of an event that nobody had taken
 * @param mostWaiting greatest queue length
 * @param mostOutstanding greatest number of workers submitted and not finished
 * @param leftOver events that still wait at the end
 */
public record PacingResult(
    String policy,
    String knob,
    double value,
    long events,
    long runs,
    long floorRuns,
    long emptyRuns,
    long failedRuns,
    long waiting,
    double meanWait,
    double longestWait,
    long mostWaiting,
    int mostOutstanding,
    long leftOver) {

  /**
   * One point of the four published curves (H-213).
   *
   * @param second from the start
   * @param arrivals events per second since the last point
   * @param workers submitted per second since the last point
   * @param waiting events that waited after workers took theirs, on average since the last point
   * @param delay greatest age of the oldest of them since then, in seconds
   */
  public record PacingSample(
      double second, double arrivals, double workers, long waiting, double delay) {}
}
