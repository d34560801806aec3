package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.api.node.PollAnswer.Assignment;
import java.time.Instant;

/**
 * An accepted attempt; kept on disk, so that a restarted agent knows what it takes over.
 *
 * @param assignment the assignment
 * @param acceptedAt wall clock of this host
 */
public record AttemptRecord(Assignment assignment, Instant acceptedAt) {
  /** The attempt. */
  public AttemptId attempt() {
    return assignment.attempt();
  }

  /** The slots it takes. */
  public int slots() {
    return assignment.spec().slots();
  }
}
