package io.millrace.api.job;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How an attempt ended: what the execution node finds out, reports and the central manager stores.
 *
 * @param outcome the kind of end; null in the report of a start
 * @param exitCode null if none
 * @param signal null if none
 * @param reason human-readable; null if there is nothing to add to the outcome
 * @param stderrTail the end of the error output, at most 4,000 characters; null if none
 * @param events events taken; 0 without input
 * @param runMillis time from start to end; 0 if it never started
 * @param usage what its processes used; null when unknown
 * @param event id of the event, if a worker had exactly one; null otherwise
 * @param neverBegan true if a lost attempt, or one that its node refused, certainly ran nothing;
 *     null otherwise
 */
@RecordBuilder
public record AttemptResult(
    Outcome outcome,
    Integer exitCode,
    Integer signal,
    String reason,
    String stderrTail,
    int events,
    long runMillis,
    Usage usage,
    String event,
    Boolean neverBegan)
    implements AttemptResultBuilder.With {
  /** Of an attempt that has not ended. */
  public static final AttemptResult NONE = of(null, null);

  /** An end of which nothing but its kind and reason is known. */
  public static AttemptResult of(Outcome outcome, String reason) {
    return new AttemptResult(outcome, null, null, reason, null, 0, 0, null, null, null);
  }

  /** The end of an attempt from which no further report is expected. */
  public static AttemptResult lost(String reason) {
    return of(Outcome.LOST, reason);
  }

  /** The end of an attempt that was stopped before its node knew of it. */
  public static AttemptResult withdrawn(String reason) {
    return of(Outcome.STOPPED, reason);
  }

  /** Whether it certainly ran nothing, so that it can be repeated whatever its job permits. */
  public boolean ranNothing() {
    return Boolean.TRUE.equals(neverBegan);
  }

  /** Time from start to end; zero if it never started. */
  public Duration run() {
    return Duration.ofMillis(runMillis);
  }

  /** A description of the end, for instance {@code exit code 3}. */
  public String description() {
    if (reason != null) {
      return reason;
    }
    return switch (outcome) {
      case SUCCEEDED -> "succeeded";
      case IDLE -> "nothing to do";
      case FAILED -> "exit code " + exitCode;
      case SIGNALLED -> "ended by signal " + signal;
      case TIMED_OUT -> "stopped at its time limit";
      case MEMORY_EXCEEDED -> "stopped at its memory limit";
      case STOPPED -> "stopped";
      case START_FAILED -> "could not be started";
      case LOST -> "lost";
    };
  }
}
