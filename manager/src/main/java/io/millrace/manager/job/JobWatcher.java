package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;

/**
 * Is called whenever jobs change, in the transaction of the change, with the jobs' rows locked and
 * written, so that either both take effect or neither; an exception fails the whole transaction.
 * Implementations are thread-safe and process sets of jobs at once.
 */
public interface JobWatcher {
  /** That many jobs were recorded, elements of arrays included; arrays themselves do not count. */
  default void jobsSubmitted(Handle handle, JobKind kind, int jobs) {}

  /** Arrays were recorded; their specifications by id. */
  default void arraysSubmitted(Handle handle, Map<Long, JobSpec> arrays, Instant now) {}

  /** Jobs with notifications were recorded, except elements of arrays; specifications by id. */
  default void notifyingSubmitted(Handle handle, Map<Long, JobSpec> jobs, Instant now) {}

  /** Attempts started; also those that ended before their start was reported. */
  default void attemptsStarted(Handle handle, List<StartedAttempt> starts) {}

  /** Attempts ended; the next states of their jobs are already decided. */
  default void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {}

  /** Elements of arrays that succeeded gave values for other steps; called before their ends. */
  default void outputsReported(Handle handle, Map<JobFacts, Map<String, String>> outputs) {}

  /** Jobs ended finally. */
  default void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {}

  /** Failed or cancelled jobs wait again; as they were before. */
  default void jobsRetried(Handle handle, List<JobFacts> jobs, Instant now) {}

  /**
   * An attempt that has started.
   *
   * @param job as it was before, under lock; its current attempt is the one
   * @param startedAt by the database's clock
   */
  record StartedAttempt(JobFacts job, Instant startedAt) {}

  /**
   * A job that has just ended finally; its row is already updated.
   *
   * @param job as it was before, under lock
   * @param state SUCCEEDED, FAILED or CANCELLED
   * @param reason human-readable reason; null if there is none
   */
  record EndedJob(JobFacts job, JobState state, String reason) {}

  /** All watchers as one, called in the order in which they were added. Thread-safe. */
  final class JobWatchers implements JobWatcher {
    private final CopyOnWriteArrayList<JobWatcher> all = new CopyOnWriteArrayList<>();

    void add(JobWatcher watcher) {
      all.add(watcher);
    }

    @Override
    public void jobsSubmitted(Handle handle, JobKind kind, int jobs) {
      if (jobs > 0) {
        all.forEach(watcher -> watcher.jobsSubmitted(handle, kind, jobs));
      }
    }

    @Override
    public void attemptsStarted(Handle handle, List<StartedAttempt> starts) {
      if (!starts.isEmpty()) {
        all.forEach(watcher -> watcher.attemptsStarted(handle, starts));
      }
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
    public void outputsReported(Handle handle, Map<JobFacts, Map<String, String>> outputs) {
      if (!outputs.isEmpty()) {
        all.forEach(watcher -> watcher.outputsReported(handle, outputs));
      }
    }

    @Override
    public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
      if (!ends.isEmpty()) {
        all.forEach(watcher -> watcher.jobsEnded(handle, ends, now));
      }
    }

    @Override
    public void jobsRetried(Handle handle, List<JobFacts> jobs, Instant now) {
      if (!jobs.isEmpty()) {
        all.forEach(watcher -> watcher.jobsRetried(handle, jobs, now));
      }
    }
  }
}
