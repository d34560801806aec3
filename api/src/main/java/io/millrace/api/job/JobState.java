package io.millrace.api.job;

import java.util.Set;

/** The states of a job and the legal changes between them; nothing else decides them. */
public enum JobState {
  /** Waits for a slot, or for the time of its next try. */
  WAITING,
  /** An attempt is recorded for a node that has not reported its start yet. */
  PLACED,
  /** The current attempt runs. */
  RUNNING,
  /** Ended with exit code 0. */
  SUCCEEDED,
  /** Ended otherwise, with no retry left. */
  FAILED,
  /** Ended because somebody asked for it. */
  CANCELLED;

  /** Whether nothing happens to the job any more unless somebody retries it. */
  public boolean ended() {
    return this == SUCCEEDED || this == FAILED || this == CANCELLED;
  }

  /** The states that may follow this one. */
  public Set<JobState> next() {
    return switch (this) {
      case WAITING -> Set.of(PLACED, CANCELLED);
      // A start too short to be reported apart ends a placed job directly.
      case PLACED, RUNNING -> Set.of(RUNNING, WAITING, SUCCEEDED, FAILED, CANCELLED);
      case SUCCEEDED -> Set.of();
      case FAILED, CANCELLED -> Set.of(WAITING);
    };
  }

  public boolean mayBecome(JobState other) {
    return next().contains(other);
  }
}
