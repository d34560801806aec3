package io.millrace.manager.job;

import io.millrace.api.job.Outcome;
import java.time.Duration;

/**
 * How an attempt ended.
 *
 * @param outcome the kind of end
 * @param exitCode null if none
 * @param signal null if none
 * @param reason for people; null if plain
 * @param run time from start to end; zero when it never started
 */
public record AttemptEnd(
    Outcome outcome, Integer exitCode, Integer signal, String reason, Duration run) {
  /** The end of an attempt of which nothing more will be heard. */
  public static AttemptEnd lost(String reason) {
    return new AttemptEnd(Outcome.LOST, null, null, reason, Duration.ZERO);
  }

  /** The end of an attempt that was stopped before its node knew of it. */
  public static AttemptEnd withdrawn(String reason) {
    return new AttemptEnd(Outcome.STOPPED, null, null, reason, Duration.ZERO);
  }

  /** The same end with another reason. */
  AttemptEnd because(String words) {
    return new AttemptEnd(outcome, exitCode, signal, words, run);
  }

  /** The end in words, for instance {@code exit code 3}. */
  public String words() {
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
