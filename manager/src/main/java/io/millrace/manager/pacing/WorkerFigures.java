package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.Optional;

/**
 * The workers that one queue manager has submitted, as the central manager reports them. Workers
 * that are known to be lost are left out.
 *
 * @param notStarted submitted, not yet taking events
 * @param running taking or working on events
 * @param notStartedCapacity events that those not started will still take: normally batch times
 *     {@code notStarted}
 * @param runningCapacity events that the running ones will still take; 0 for workers that take
 *     their whole batch when they start
 * @param started how many started since the last tick
 * @param finished how many finished since the last tick, however they ended
 * @param startLatency smoothed time from getting a slot until a worker takes its first event; empty
 *     while unknown. The wait for a slot is no part of it: while slots are short, a worker that is
 *     submitted at a later tick starts no later, so nothing need be submitted ahead for that wait
 * @param runTime smoothed time in which a worker handles a full batch; empty while unknown
 * @param outstandingInCluster workers of the queue not started or running, of all its segments
 */
@Pure
public record WorkerFigures(
    int notStarted,
    int running,
    long notStartedCapacity,
    long runningCapacity,
    int started,
    int finished,
    Optional<Duration> startLatency,
    Optional<Duration> runTime,
    int outstandingInCluster) {
  public WorkerFigures {
    if (notStarted < 0
        || running < 0
        || notStartedCapacity < 0
        || runningCapacity < 0
        || started < 0
        || finished < 0
        || outstandingInCluster < 0) {
      throw new IllegalArgumentException("figures of workers cannot be negative");
    }
    if (startLatency.filter(Duration::isNegative).isPresent()
        || runTime.filter(Duration::isNegative).isPresent()) {
      throw new IllegalArgumentException("times of workers cannot be negative");
    }
  }

  /** Own workers submitted and not yet finished. */
  public int outstanding() {
    return notStarted + running;
  }

  /** Events that will be taken without any further worker. */
  public long openCapacity() {
    return notStartedCapacity + runningCapacity;
  }
}
