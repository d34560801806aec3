package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Ends jobs whose deadline has passed by the database's clock: waiting jobs fail at once, running
 * ones are asked to stop and fail when they have. Runs as a claimed duty.
 */
public final class Deadlines {
  private static final int CHUNK = 500;
  private static final String PASSED = "its deadline passed before it ended";

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final DeadlineDao deadlines = new DeadlineDao();
  private final JobDao jobs = new JobDao();
  private final BookingDao bookings = new BookingDao();
  private final HistoryDao history = new HistoryDao();
  private final Lanes lanes;
  private final JobCompletion completion;
  private final WakeUps wakeUps;

  Deadlines(
      Database database, ClaimDao claims, Lanes lanes, JobCompletion completion, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.lanes = lanes;
    this.completion = completion;
    this.wakeUps = wakeUps;
  }

  /** One run under the claim; returns how many deadlines had passed. */
  public int run(Claim claim) {
    int sum = 0;
    int found;
    do {
      found = database.transaction(handle -> chunk(handle, claim));
      sum += found;
    } while (found == CHUNK);
    return sum;
  }

  private int chunk(Handle handle, Claim claim) {
    if (!claims.lock(handle, claim)) {
      return 0;
    }
    List<Long> passed = deadlines.passed(handle, time.now(handle), CHUNK);
    if (passed.isEmpty()) {
      return 0;
    }
    lanes.lockOf(handle, passed);
    List<JobFacts> locked = jobs.lock(handle, passed);
    Instant now = time.now(handle);
    deadlines.remove(handle, passed);
    fail(handle, locked.stream().filter(job -> job.state().waits()).toList(), now);
    stop(handle, locked.stream().filter(JobFacts::live).toList(), now);
    return passed.size();
  }

  private void fail(Handle handle, List<JobFacts> waiting, Instant now) {
    List<EndedJob> ended =
        waiting.stream().map(job -> new EndedJob(job, JobState.FAILED, PASSED)).toList();
    completion.endWaiting(handle, ended, now);
  }

  private void stop(Handle handle, List<JobFacts> running, Instant now) {
    bookings.requestStop(handle, running.stream().map(JobFacts::currentAttempt).toList());
    history.write(
        handle,
        running.stream()
            .map(
                job ->
                    new Line(
                        job.id(),
                        job.state(),
                        job.attempt(),
                        JobMessages.stopRequested("its deadline has passed")))
            .toList(),
        now);
    running.stream()
        .map(JobFacts::nodeId)
        .distinct()
        .forEach(node -> wakeUps.nodeChanged(handle, UUID.fromString(node)));
  }
}
