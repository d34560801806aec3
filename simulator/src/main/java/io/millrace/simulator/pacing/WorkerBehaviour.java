package io.millrace.simulator.pacing;

import java.time.Duration;

/**
 * How the workers of the simulated queue behave.
 *
 * @param kind when they leave
 * @param batch events that one takes at most, in its whole run
 * @param startLatency from submission until it takes its first event, while slots are free
 * @param runTime in which it handles a full batch; a worker that takes all at its start is busy for
 *     it whatever it took
 * @param linger how long one of {@link Kind#LINGER} waits for a further event
 * @param longestRun after which one of {@link Kind#LINGER} takes no more
 */
public record WorkerBehaviour(
    Kind kind,
    int batch,
    Duration startLatency,
    Duration runTime,
    Duration linger,
    Duration longestRun) {

  /** When a worker leaves. */
  public enum Kind {
    /** After the events that it took when it started. */
    EXIT,
    /** After a full batch, taken again and again; when nothing came for a while; or in the end. */
    LINGER
  }

  public WorkerBehaviour {
    if (batch < 1) {
      throw new IllegalArgumentException("the batch is at least 1, not " + batch);
    }
    if (startLatency.isNegative() || runTime.isNegative()) {
      throw new IllegalArgumentException("start latency and run time are not negative");
    }
    if (kind == Kind.LINGER && (linger.isNegative() || linger.isZero() || runTime.isZero())) {
      throw new IllegalArgumentException(
          "a lingering worker needs a run time and a time to linger above zero");
    }
  }

  public static WorkerBehaviour exit(int batch, Duration startLatency, Duration runTime) {
    return new WorkerBehaviour(
        Kind.EXIT, batch, startLatency, runTime, Duration.ZERO, Duration.ofHours(1));
  }

  /** Waits 5 s for a further event and leaves after a full batch or ten minutes. */
  public static WorkerBehaviour linger(int batch, Duration startLatency, Duration runTime) {
    return new WorkerBehaviour(
        Kind.LINGER, batch, startLatency, runTime, Duration.ofSeconds(5), Duration.ofMinutes(10));
  }
}
