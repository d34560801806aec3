package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.queue.NodeState;
import java.time.Duration;
import java.util.Optional;

/**
 * The input of one decision.
 *
 * <p>It contains no time of day: a policy needs only how much time has passed, so a recorded state
 * can be resumed on another machine whose monotonic clock has another origin (H-217).
 *
 * @param sinceLastTick monotonic time since this process' previous tick; zero at the first, which
 *     only takes the counters as a baseline
 * @param queue the segment's figures; empty when it could not be read
 * @param workers the figures of this manager's workers; empty when they could not be read
 * @param expectedChange events per second by which arrivals changed on earlier days, from this time
 *     of day until a worker submitted now takes its first event; 0 where no history is kept
 */
@Pure
public record PacingSnapshot(
    Duration sinceLastTick,
    Optional<QueueFigures> queue,
    Optional<WorkerFigures> workers,
    double expectedChange) {
  /** Without a history of earlier days. */
  public PacingSnapshot(
      Duration sinceLastTick, Optional<QueueFigures> queue, Optional<WorkerFigures> workers) {
    this(sinceLastTick, queue, workers, 0);
  }

  public PacingSnapshot {
    if (sinceLastTick.isNegative()) {
      throw new IllegalArgumentException("time since the last tick is negative: " + sinceLastTick);
    }
  }

  /** A tick at which everything could be read. */
  public static PacingSnapshot of(
      Duration sinceLastTick, QueueFigures queue, WorkerFigures workers) {
    return new PacingSnapshot(sinceLastTick, Optional.of(queue), Optional.of(workers));
  }

  /** The same with what earlier days lead to expect. */
  public PacingSnapshot expecting(double change) {
    return new PacingSnapshot(sinceLastTick, queue, workers, change);
  }

  /**
   * The figures of a segment as its node reports them.
   *
   * @param waiting events that a worker could take now: not delayed, not leased
   * @param leased events leased by workers
   * @param inserted events put for the first time since the store began; redeliveries do not count,
   *     so that retries do not count as demand
   * @param acknowledged events finished since the store began
   * @param oldestAge age of the oldest waiting event; zero when none waits
   * @param nodeState the load of the node that holds the segment
   */
  @Pure
  public record QueueFigures(
      long waiting,
      long leased,
      long inserted,
      long acknowledged,
      Duration oldestAge,
      NodeState nodeState) {
    public QueueFigures {
      if (waiting < 0 || leased < 0 || inserted < 0 || acknowledged < 0 || oldestAge.isNegative()) {
        throw new IllegalArgumentException("figures of a segment cannot be negative");
      }
    }
  }

  /**
   * The workers that one queue manager has submitted, as the central manager reports them. Workers
   * known to be lost are not counted.
   *
   * @param notStarted submitted, not yet taking events
   * @param running taking or working on events
   * @param notStartedCapacity events that those not started will still take: normally batch times
   *     {@code notStarted}
   * @param runningCapacity events that the running ones will still take; 0 for workers that take
   *     their whole batch when they start
   * @param started how many started since the last tick
   * @param finished how many finished since the last tick, however they ended
   * @param startLatency smoothed time from getting a slot until a worker takes its first event;
   *     empty while unknown. The wait for a slot is not part of it: while slots are short, a worker
   *     that is submitted at a later tick starts no later, so nothing need be submitted ahead for
   *     that wait
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
}
