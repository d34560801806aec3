package io.millrace.simulator.containers;

/**
 * What one day came to.
 *
 * @param arrangement who arranged it
 * @param heldHours consumers or workers, times the hours for which they were there
 * @param neededHours what events needed, handled without any waiting for work
 * @param mostHeld consumers or workers at once
 * @param events that were handled
 * @param meanWait seconds until a consumer or worker took an event
 * @param p99Wait seconds that 99 % did not exceed
 * @param longestWait seconds
 * @param enoughAfterBurst seconds from the beginning of the burst until the events of its kind
 *     became no more
 * @param calmAfterBurst seconds from its beginning until no event was older than ten seconds, for a
 *     minute
 * @param calmAfterLoss the same from the loss of the node
 * @param moves containers moved from node to node
 * @param starts containers, or workers, started
 * @param leftOver events that wait at the end
 */
public record CapacityResult(
    String arrangement,
    double heldHours,
    double neededHours,
    double mostHeld,
    double events,
    double meanWait,
    double p99Wait,
    double longestWait,
    double enoughAfterBurst,
    double calmAfterBurst,
    double calmAfterLoss,
    double moves,
    double starts,
    double leftOver) {

  /**
   * One point of a day's curves.
   *
   * @param second from the beginning
   * @param needed consumers that arrivals would keep busy
   * @param held consumers or workers that were there
   * @param waiting events
   * @param delay greatest age of a waiting event since the last point, in seconds
   */
  public record CapacitySample(
      double second, double needed, double held, double waiting, double delay) {}
}
