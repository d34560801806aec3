package io.millrace.simulator.pacing;

import java.time.Duration;

/**
 * Behaviour of the workers of the simulated queue.
 *
 * @param kind when workers exit
 * @param batch maximum number of events per run
 * @param startLatency from submission to the first lease, while slots are free
 * @param runTime in which it handles a full batch; a worker that takes all at its start is busy for
 *     it whatever it took
 * @param linger how long a {@link Kind#LINGER} worker waits for another event
 * @param longestRun after which a {@link Kind#LINGER} worker leases no more
 */
public record WorkerBehaviour(
    Kind kind,
    int batch,
    Duration startLatency,
    Duration runTime,
    Duration linger,
    Duration longestRun) {

  /** When a worker exits. */
  public enum Kind {
    /** After the events that it leased when it started. */
    EXIT,
    /** After a full batch in several leases, after an idle time, or at its maximum run time. */
    LINGER
  }

  public WorkerBehaviour {
    if (batch < 1) {
      throw new IllegalArgumentException("batch must be at least 1, not " + batch);
    }
    if (startLatency.isNegative() || runTime.isNegative()) {
      throw new IllegalArgumentException("start latency and run time must not be negative");
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

  /** Waits 5 s for another event and exits after a full batch or ten minutes. */
  public static WorkerBehaviour linger(int batch, Duration startLatency, Duration runTime) {
    return new WorkerBehaviour(
        Kind.LINGER, batch, startLatency, runTime, Duration.ofSeconds(5), Duration.ofMinutes(10));
  }
}
