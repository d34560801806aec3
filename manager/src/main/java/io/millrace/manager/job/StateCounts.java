package io.millrace.manager.job;

import io.millrace.api.job.JobCounts;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** How many jobs there are, by kind and state. Not thread-safe; complete once it was read. */
public final class StateCounts {
  private final Map<JobKind, Map<JobState, Long>> counts = new EnumMap<>(JobKind.class);

  void add(JobKind kind, JobState state, long jobs) {
    counts
        .computeIfAbsent(kind, one -> new EnumMap<>(JobState.class))
        .merge(state, jobs, Long::sum);
  }

  /** What these kinds come to; a job waits, whatever it waits for, until it is placed. */
  public JobCounts of(Set<JobKind> kinds) {
    long waiting = 0;
    long running = 0;
    for (JobState state : JobState.values()) {
      if (state.waits()) {
        waiting += count(kinds, state);
      } else if (state.live()) {
        running += count(kinds, state);
      }
    }
    return new JobCounts(
        waiting,
        running,
        count(kinds, JobState.SUCCEEDED),
        count(kinds, JobState.FAILED),
        count(kinds, JobState.CANCELLED));
  }

  private long count(Set<JobKind> kinds, JobState state) {
    return kinds.stream()
        .mapToLong(kind -> counts.getOrDefault(kind, Map.of()).getOrDefault(state, 0L))
        .sum();
  }
}
