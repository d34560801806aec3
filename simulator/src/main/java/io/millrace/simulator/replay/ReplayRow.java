package io.millrace.simulator.replay;

/**
 * One way in which the recorded events are served. Of the record itself all from {@code meanWait}
 * to {@code leftOver} is what the recorded starts give in the simulation; of lingering workers it
 * is null, because there the moments at which they leave decide, and those are not recorded.
 *
 * @param name {@code recorded}, {@code control} or the changed settings
 * @param policy the policy
 * @param events that came, those included that waited at the beginning
 * @param runs workers submitted; of the record those that were, of the others those simulated
 * @param floorRuns runs if every worker were full
 * @param meanWait seconds from an event's arrival until a worker takes it
 * @param p99Wait what 99 % of the events did not exceed
 * @param longestWait greatest age of an event that nobody had taken
 * @param mostWorkers greatest number of workers submitted and not finished
 * @param workerSeconds for how long workers ran, all together
 * @param leftOver events that wait at the end
 * @param seen what decisions saw that are kept by the same rule
 */
public record ReplayRow(
    String name,
    String policy,
    long events,
    long runs,
    long floorRuns,
    Double meanWait,
    Double p99Wait,
    Double longestWait,
    Integer mostWorkers,
    Double workerSeconds,
    Long leftOver,
    Seen seen) {

  /**
   * Figures of kept decisions.
   *
   * @param decisions how many were kept
   * @param waiting events that waited, on average
   * @param oldest age of the oldest, on average, in seconds
   * @param longest age of the oldest, in seconds
   */
  public record Seen(long decisions, double waiting, double oldest, double longest) {}

  /** The record as far as it tells by itself. */
  static ReplayRow told(ReplayRow row) {
    return new ReplayRow(
        row.name,
        row.policy,
        row.events,
        row.runs,
        row.floorRuns,
        null,
        null,
        null,
        null,
        null,
        null,
        row.seen);
  }
}
