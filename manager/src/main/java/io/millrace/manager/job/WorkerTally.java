package io.millrace.manager.job;

/**
 * The workers of one queue, or of one of its segments, as the central store counts them.
 *
 * @param starting submitted and not started: waiting for a slot, or placed
 * @param running reported as started and not ended
 * @param started runs started since ever
 * @param finished runs ended since ever, however they ended
 * @param failed of those, the ones that failed by themselves; lost and stopped ones are not counted
 * @param startLatencySeconds smoothed time from getting a place to the start; 0 while unknown
 * @param runSeconds smoothed time from start to end; 0 while unknown
 */
public record WorkerTally(
    int starting,
    int running,
    long started,
    long finished,
    long failed,
    double startLatencySeconds,
    double runSeconds) {
  /** No worker yet. */
  public static final WorkerTally NONE = new WorkerTally(0, 0, 0, 0, 0, 0, 0);

  /** Submitted and not ended. */
  public int outstanding() {
    return starting + running;
  }
}
