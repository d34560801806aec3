package io.millrace.manager.job;

import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobDao.WaitEnd;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Ends jobs finally and carries out the consequences, in the transaction that ends them: the next
 * jobs of their lanes start, jobs that wait for them are released or cancelled, and so on until
 * nothing follows any more. Thread-safe.
 *
 * <p>Jobs are locked by rising id within each round, and a job that waits has a higher id than what
 * it waits for; where two transactions still deadlock, the database aborts one and it is repeated.
 */
final class JobCompletion {
  private final JobDao jobs = new JobDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();
  private final DeadlineDao deadlines = new DeadlineDao();
  private final Dependencies dependencies;
  private final Lanes lanes;
  private final JobWatcher watcher;
  private final WakeUps wakeUps;

  JobCompletion(Dependencies dependencies, Lanes lanes, JobWatcher watcher, WakeUps wakeUps) {
    this.dependencies = dependencies;
    this.lanes = lanes;
    this.watcher = watcher;
    this.wakeUps = wakeUps;
  }

  /** Ends waiting jobs, which have no attempt, and carries out what follows. */
  void endWaiting(Handle handle, List<EndedJob> ended, Instant now) {
    recordEnds(handle, ended, now);
    follow(handle, ended, now);
  }

  /** Carries out what follows; the jobs' own rows and histories already contain their ends. */
  void follow(Handle handle, List<EndedJob> ended, Instant now) {
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
      recordEnds(handle, round, now);
    }
  }

  private void recordEnds(Handle handle, List<EndedJob> ends, Instant now) {
    if (ends.isEmpty()) {
      return;
    }
    jobs.endWaits(
        handle,
        ends.stream().map(end -> new WaitEnd(end.job(), end.state(), end.reason())).toList(),
        now);
    ready.delete(handle, ends.stream().map(EndedJob::job).map(JobFacts::id).toList());
    history.write(handle, ends.stream().map(JobCompletion::line).toList(), now);
    ends.forEach(end -> wakeUps.jobChanged(handle, end.job().id()));
  }

  private static Line line(EndedJob end) {
    return new Line(end.job().id(), end.state(), end.job().attempt(), end.reason());
  }
}
