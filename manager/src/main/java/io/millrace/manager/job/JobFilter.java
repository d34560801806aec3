package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Which jobs a list shows, newest first.
 *
 * @param search which jobs are meant
 * @param before only jobs with a smaller id; null from the newest
 * @param limit jobs at the most
 */
public record JobFilter(JobSearch search, Long before, int limit) {
  /** The most jobs that one page shows. */
  public static final int MOST = 1000;

  public JobFilter {
    limit = Math.max(1, Math.min(limit, MOST));
  }

  /**
   * Jobs by what most parts ask for.
   *
   * @param kind null for every kind
   * @param states empty for every state
   * @param queue null for any or none
   * @param name null for any; exact
   */
  public JobFilter(
      JobKind kind, Set<JobState> states, String queue, String name, Long before, int limit) {
    this(search(kind, states, queue, name), before, limit);
  }

  private static JobSearch search(JobKind kind, Set<JobState> states, String queue, String name) {
    List<TextCondition> texts = new ArrayList<>();
    if (queue != null) {
      texts.add(new TextCondition(TextField.QUEUE, List.of(TextPattern.exactly(queue))));
    }
    if (name != null) {
      texts.add(new TextCondition(TextField.NAME, List.of(TextPattern.exactly(name))));
    }
    return new JobSearch(
        kind == null ? Set.of() : Set.of(kind),
        kind == null || kind == JobKind.SUBMITTED,
        states,
        Set.of(),
        Set.of(),
        texts);
  }
}
