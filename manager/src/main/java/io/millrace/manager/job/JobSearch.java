package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which jobs are meant; all of it must hold.
 *
 * @param kinds who wanted them; empty for every kind
 * @param elements whether elements of arrays are meant as well as jobs of their own
 * @param states empty for every state
 * @param arrays only elements of these; empty for any
 * @param ids only these; empty for any
 * @param texts what else must hold
 */
public record JobSearch(
    Set<JobKind> kinds,
    boolean elements,
    Set<JobState> states,
    Set<Long> arrays,
    Set<Long> ids,
    List<TextCondition> texts) {
  /** Every job, of whatever kind. */
  public static final JobSearch ALL =
      new JobSearch(Set.of(), true, Set.of(), Set.of(), Set.of(), List.of());

  public JobSearch {
    kinds = Set.copyOf(kinds);
    states = Set.copyOf(states);
    arrays = Set.copyOf(arrays);
    ids = Set.copyOf(ids);
    texts = List.copyOf(texts);
  }

  /** Just these jobs, elements of arrays included. */
  public static JobSearch ofIds(Set<Long> ids) {
    return new JobSearch(Set.of(), true, Set.of(), Set.of(), ids, List.of());
  }

  /** The states meant, in the order of their declaration. */
  public Set<JobState> wantedStates() {
    return states.isEmpty() ? EnumSet.allOf(JobState.class) : EnumSet.copyOf(states);
  }

  /** The kinds meant. */
  public Set<JobKind> wantedKinds() {
    return kinds.isEmpty() ? EnumSet.allOf(JobKind.class) : EnumSet.copyOf(kinds);
  }

  /** Whether it says nothing but which kind of jobs. */
  public boolean unbounded() {
    return states.isEmpty() && arrays.isEmpty() && ids.isEmpty() && texts.isEmpty();
  }
}
