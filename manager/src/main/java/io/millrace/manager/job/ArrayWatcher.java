package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayDao.Sums;
import io.millrace.manager.job.ArrayRow.Again;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Keeps the rows of arrays true while jobs change, in the transaction of the change: one update for
 * each array, whatever the number of its elements. Thread-safe.
 */
public final class ArrayWatcher implements JobWatcher {
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayElementDao elements = new ArrayElementDao();

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
    // An array that ends before its elements were all created will create no more.
    ends.stream()
        .filter(end -> end.job().isArray())
        .filter(end -> end.state() != JobState.SUCCEEDED)
        .forEach(end -> arrays.stop(handle, end.job().id(), end.state()));
    arrays.add(handle, sums);
  }

  @Override
  public void jobsRevived(Handle handle, List<JobFacts> jobs, Instant now) {
    Map<Long, Sums> sums = new HashMap<>();
    for (JobFacts job : jobs) {
      if (job.array() != null) {
        sums.merge(job.array(), Sums.NONE.plus(job.state(), -1), Sums::plus);
      }
    }
    arrays.add(handle, sums);
    arrays.wake(handle, sums.keySet());
    jobs.stream().filter(JobFacts::isArray).forEach(array -> resume(handle, array));
  }

  // Elements that somebody cancelled while the others went on stay cancelled.
  private void resume(Handle handle, JobFacts array) {
    boolean cancelledToo = array.state() == JobState.CANCELLED;
    long youngest =
        Stream.of(JobState.FAILED, JobState.CANCELLED)
            .filter(state -> cancelledToo || state == JobState.FAILED)
            .flatMap(state -> elements.youngest(handle, array.id(), state).stream())
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    Again again = youngest == 0 ? null : new Again(0, youngest, cancelledToo);
    arrays.resume(handle, array.id(), again);
  }
}
