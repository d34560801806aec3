package io.millrace.simulator.pacing;

/**
 * Results of one simulation.
 *
 * @param policy name of the policy
 * @param knob name of the setting that is varied
 * @param value of that setting
 * @param events that arrived
 * @param runs workers submitted
 * @param floorRuns runs if every worker were full
 * @param emptyRuns workers that found no events
 * @param failedRuns workers that failed
 * @param waiting sum over the seconds of the queue length before workers take theirs, as in the
 *     published tables
 * @param meanWait seconds from an event's arrival until a worker takes it
 * @param longestWait maximum age in seconds of a waiting event
 * @param mostWaiting maximum queue length
 * @param mostOutstanding maximum number of submitted and unfinished workers
 * @param leftOver events waiting at the end
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
   * @param delay maximum age of the oldest of them since then, in seconds
   */
  public record PacingSample(
      double second, double arrivals, double workers, long waiting, double delay) {}
}
