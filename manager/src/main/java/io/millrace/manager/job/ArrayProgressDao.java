package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.ArrayProgress;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Reads how far arrays are, as they are shown. Stateless. */
public final class ArrayProgressDao {
  private static final Set<JobState> LIVE = Set.of(JobState.PLACED, JobState.RUNNING);

  private final ArrayDao arrays = new ArrayDao();
  private final ArrayElementDao elements = new ArrayElementDao();

  /**
   * Arrays whose own jobs are in one state.
   *
   * @param state of their own jobs
   * @param arrays how many
   * @param left their elements that have no job yet
   */
  public record Held(JobState state, long arrays, long left) {}

  /** Arrays that have not ended, by the state of their own jobs. */
  public List<Held> live(Handle handle) {
    return handle
        .createQuery(
            """
            select j.state, count(*) as arrays,
                sum(case when a.next_index > a.last_index then 0 else floor((a.last_index -
                a.next_index) / a.step_width) + 1 - a.skipped end) as remaining
            from job_array a
            join job j on j.id = a.job_id
            where a.settled = false and j.state not in ('SUCCEEDED', 'FAILED', 'CANCELLED')
            group by j.state
            """)
        .map(
            (row, context) ->
                new Held(
                    JobState.valueOf(row.getString("state")),
                    row.getLong("arrays"),
                    row.getLong("remaining")))
        .list();
  }

  /** Of those of the jobs that are arrays, by id. */
  public Map<Long, ArrayProgress> progress(Handle handle, Collection<Long> jobs) {
    Map<Long, ArrayRow> rows = arrays.read(handle, jobs);
    Map<Long, Map<JobState, Integer>> live = elements.count(handle, rows.keySet(), LIVE);
    Map<Long, ArrayProgress> progress = new HashMap<>();
    rows.forEach((id, row) -> progress.put(id, progress(row, running(live.get(id)))));
    return progress;
  }

  // The counts come from two statements, between which elements may have ended.
  private static ArrayProgress progress(ArrayRow row, long live) {
    long running = Math.min(live, row.open());
    long waiting = row.left() + row.open() - running;
    return new ArrayProgress(
        row.range().size(),
        waiting,
        running,
        row.succeeded(),
        row.failed(),
        row.cancelled() + row.skipped());
  }

  private static long running(Map<JobState, Integer> live) {
    return live == null ? 0 : live.values().stream().mapToInt(Integer::intValue).sum();
  }
}
