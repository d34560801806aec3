package io.millrace.cli.bench.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import java.util.Set;

/**
 * What the central database has of a job.
 *
 * @param id the job's id
 * @param state now
 * @param attempt number of the current or last attempt
 * @param node execution node of that attempt; null before the first
 * @param attemptState state of that attempt's own row; null without one
 * @param history the states that its history tells of
 */
public record RecordedJob(
    long id,
    JobState state,
    int attempt,
    String node,
    JobState attemptState,
    Set<JobState> history) {

  /** The last attempt; there must have been one. */
  public AttemptId attemptId() {
    return new AttemptId(id, attempt);
  }
}
