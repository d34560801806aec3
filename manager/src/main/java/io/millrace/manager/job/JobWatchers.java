package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;

/** All watchers as one, in the order in which they were added. Thread-safe. */
final class JobWatchers implements JobWatcher {
  private final CopyOnWriteArrayList<JobWatcher> all = new CopyOnWriteArrayList<>();

  void add(JobWatcher watcher) {
    all.add(watcher);
  }

  @Override
  public void arraysSubmitted(Handle handle, Map<Long, JobSpec> arrays, Instant now) {
    if (!arrays.isEmpty()) {
      all.forEach(watcher -> watcher.arraysSubmitted(handle, arrays, now));
    }
  }

  @Override
  public void notifyingSubmitted(Handle handle, Map<Long, JobSpec> jobs, Instant now) {
    if (!jobs.isEmpty()) {
      all.forEach(watcher -> watcher.notifyingSubmitted(handle, jobs, now));
    }
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    if (!ends.isEmpty()) {
      all.forEach(watcher -> watcher.attemptsEnded(handle, ends, now));
    }
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    if (!ends.isEmpty()) {
      all.forEach(watcher -> watcher.jobsEnded(handle, ends, now));
    }
  }

  @Override
  public void jobsRevived(Handle handle, List<JobFacts> jobs, Instant now) {
    if (!jobs.isEmpty()) {
      all.forEach(watcher -> watcher.jobsRevived(handle, jobs, now));
    }
  }
}
