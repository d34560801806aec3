package io.millrace.manager.job;

import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What follows when jobs end for good, in the transaction that ends them: the next of their lanes
 * start, jobs that wait for them are released or cancelled, and so on until nothing follows any
 * more. Thread-safe.
 *
 * <p>Jobs are locked by rising id within each round, and a job that waits has a higher id than what
 * it waits for; where two transactions still lock crosswise, the database ends one and it is
 * repeated.
 */
public final class JobCompletion {
  private final DeadlineDao deadlines = new DeadlineDao();
  private final Dependencies dependencies;
  private final Lanes lanes;
  private final JobWatcher watcher;

  JobCompletion(Dependencies dependencies, Lanes lanes, JobWatcher watcher) {
    this.dependencies = dependencies;
    this.lanes = lanes;
    this.watcher = watcher;
  }

  /** Carries out what follows; the jobs' own rows and histories tell their ends already. */
  public void follow(Handle handle, List<EndedJob> ended, Instant now) {
    List<EndedJob> round = ended;
    while (!round.isEmpty()) {
      dependencies.forget(handle, round);
      deadlines.remove(
          handle,
          round.stream()
              .map(EndedJob::job)
              .filter(job -> job.deadline() != null)
              .map(JobFacts::id)
              .toList());
      lanes.leave(handle, round, now);
      watcher.jobsEnded(handle, round, now);
      round = dependencies.resolve(handle, round, now);
    }
  }
}
