package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.util.Set;

/**
 * Which jobs a list shows.
 *
 * @param kind null for every kind
 * @param states empty for every state
 * @param queue null for any or none
 * @param name null for any; exact
 * @param before only jobs with a smaller id; null from the newest
 * @param limit jobs at the most
 */
public record JobFilter(
    JobKind kind, Set<JobState> states, String queue, String name, Long before, int limit) {
  /** The most jobs that one page shows. */
  public static final int MOST = 1000;

  public JobFilter {
    states = Set.copyOf(states);
    limit = Math.max(1, Math.min(limit, MOST));
  }
}
