package io.millrace.api.job;

import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a job and the legal transitions between them; the only place where they are
 * decided.
 *
 * <p>An array is WAITING until its first element starts, RUNNING until the last has ended, and then
 * SUCCEEDED if all did, CANCELLED if it was cancelled, FAILED otherwise.
 */
public enum JobState {
  /** Waits for a slot, or for the time of its next attempt. */
  WAITING,
  /** Waits for other jobs: its dependencies, or those before it in its serial lane. */
  BLOCKED,
  /** Waits until it is released. */
  HELD,
  /** An attempt is recorded for a node that has not reported its start yet. */
  PLACED,
  /** The current attempt runs. */
  RUNNING,
  /** Ended with exit code 0. */
  SUCCEEDED,
  /** Ended otherwise, with no retry left, or after its deadline. */
  FAILED,
  /** Ended because it was cancelled, or because a job it depends on ended in another way. */
  CANCELLED;

  private static final Set<JobState> UNSTARTED = EnumSet.of(WAITING, BLOCKED, HELD);

  /** Whether the job has ended; only a retry changes it. */
  public boolean ended() {
    return this == SUCCEEDED || this == FAILED || this == CANCELLED;
  }

  /** Whether it has an attempt that has not ended. */
  public boolean live() {
    return this == PLACED || this == RUNNING;
  }

  /** Whether it waits for anything. */
  public boolean waits() {
    return UNSTARTED.contains(this);
  }

  /** The states that may follow this one. */
  public Set<JobState> next() {
    return switch (this) {
      case WAITING -> EnumSet.of(BLOCKED, HELD, PLACED, RUNNING, SUCCEEDED, FAILED, CANCELLED);
      case BLOCKED -> EnumSet.of(WAITING, HELD, FAILED, CANCELLED);
      case HELD -> EnumSet.of(WAITING, BLOCKED, FAILED, CANCELLED);
      // A run too short for a separate report of its start ends a placed job directly.
      case PLACED, RUNNING ->
          EnumSet.of(WAITING, BLOCKED, HELD, RUNNING, SUCCEEDED, FAILED, CANCELLED);
      case SUCCEEDED -> EnumSet.noneOf(JobState.class);
      case FAILED, CANCELLED -> EnumSet.of(WAITING, BLOCKED);
    };
  }

  public boolean mayBecome(JobState other) {
    return next().contains(other);
  }
}
