package io.millrace.simulator.pacing;

/**
 * Something that goes wrong for a while.
 *
 * @param kind what
 * @param from seconds from the start
 * @param until seconds from the start
 * @param factor how much, see {@link Kind}
 */
public record Disturbance(Kind kind, double from, double until, double factor) {

  /** What may go wrong. */
  public enum Kind {
    /** The queue node finishes only that part of the events it could. */
    SLOW_NODE,
    /** The batch system needs so many times as long to start a worker. */
    SLOW_STARTS,
    /** That part of the workers fails; their events come back. */
    FAILING_WORKERS,
    /** Only that part of the slots is there. */
    FEWER_SLOTS,
    /** The queue manager is gone; its successor starts from the recorded state. */
    NO_MANAGER,
    /** No worker takes events, as if none were served. */
    NO_SERVICE
  }

  boolean holds(double second) {
    return second >= from && second < until;
  }
}
