package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayDao.Sums;
import io.millrace.manager.job.ArrayRow.PendingRetry;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Keeps the rows of arrays up to date while jobs change, in the transaction of the change: one
 * update for each array, however many elements it has. Thread-safe.
 */
final class ArrayWatcher implements JobWatcher {
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();

  @Override
  public void arraysSubmitted(Handle handle, Map<Long, JobSpec> submitted, Instant now) {
    new TreeMap<>(submitted)
        .forEach((id, spec) -> arrays.insert(handle, id, spec.pool(), spec.array(), now));
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    Map<Long, Sums> sums = new HashMap<>();
    for (EndedJob end : ends) {
      if (end.job().array() != null) {
        sums.merge(end.job().array(), Sums.NONE.plus(end.state(), 1), Sums::plus);
      }
    }
    // An array that ends before all its elements were created creates no more.
    ends.stream()
        .filter(end -> end.job().isArray())
        .filter(end -> end.state() != JobState.SUCCEEDED)
        .forEach(end -> arrays.stop(handle, end.job().id(), end.state()));
    arrays.add(handle, sums);
  }

  @Override
  public void jobsRetried(Handle handle, List<JobFacts> jobs, Instant now) {
    Map<Long, Sums> sums = new HashMap<>();
    for (JobFacts job : jobs) {
      if (job.array() != null) {
        sums.merge(job.array(), Sums.NONE.plus(job.state(), -1), Sums::plus);
      }
    }
    arrays.add(handle, sums);
    arrays.markExpandable(handle, sums.keySet());
    jobs.stream().filter(JobFacts::isArray).forEach(array -> resume(handle, array));
  }

  // Elements that were cancelled while the others continued stay cancelled.
  private void resume(Handle handle, JobFacts array) {
    boolean includeCancelled = array.state() == JobState.CANCELLED;
    long newest =
        Stream.of(JobState.FAILED, JobState.CANCELLED)
            .filter(state -> includeCancelled || state == JobState.FAILED)
            .flatMap(state -> arrayJobs.newest(handle, array.id(), state).stream())
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    PendingRetry retry = newest == 0 ? null : new PendingRetry(0, newest, includeCancelled);
    arrays.resume(handle, array.id(), retry);
  }
}
