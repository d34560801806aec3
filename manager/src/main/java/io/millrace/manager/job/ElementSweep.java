package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobActions.ActionRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Does to elements what was done to their array, a bounded number at a time; the caller holds the
 * lock of the array's own job. Thread-safe.
 */
public final class ElementSweep {
  /** Elements of one state at the most. */
  static final int MOST = 1000;

  private static final Set<JobState> OPEN =
      Set.of(JobState.WAITING, JobState.BLOCKED, JobState.HELD, JobState.PLACED, JobState.RUNNING);
  private static final String HELD_BACK = "waits because its array is held";

  private final ArrayElementDao elements = new ArrayElementDao();
  private final ElementTurns turns = new ElementTurns();
  private final JobActions actions;

  public ElementSweep(JobActions actions) {
    this.actions = actions;
  }

  /** Does it to elements that have not ended; returns how many changed. */
  int apply(Handle handle, long array, ActionRequest request) {
    List<Long> open = new ArrayList<>();
    for (JobState state : OPEN) {
      open.addAll(elements.in(handle, array, state, 0, Long.MAX_VALUE, MOST));
    }
    return open.isEmpty() ? 0 : actions.apply(handle, open, request).changed().size();
  }

  /** Elements that wait for a slot wait for their array again; returns how many. */
  int takeBack(Handle handle, long array, Instant now) {
    List<Long> waiting = elements.in(handle, array, JobState.WAITING, 0, Long.MAX_VALUE, MOST);
    return turns.takeBack(handle, waiting, HELD_BACK, now);
  }

  /** Tries ended elements again; returns how many wait again. */
  int retry(Handle handle, List<Long> ended, ActionRequest request) {
    return actions.apply(handle, ended, request).changed().size();
  }
}
