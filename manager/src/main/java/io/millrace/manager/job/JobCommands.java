package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.job.store.BookingStore;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.job.store.HistoryStore;
import io.millrace.manager.job.store.HistoryStore.Line;
import io.millrace.manager.job.store.JobFacts;
import io.millrace.manager.job.store.JobReadStore;
import io.millrace.manager.job.store.JobStore;
import io.millrace.manager.job.store.ProgressStore;
import io.millrace.manager.job.store.ReadyStore;
import io.millrace.manager.job.store.ReadyStore.Ready;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Cancels and retries single jobs. Thread-safe; blocks on the database. */
final class JobCommands {
  private final Database database;
  private final DatabaseTime time;
  private final JobStore jobs = new JobStore();
  private final JobReadStore reads = new JobReadStore();
  private final ProgressStore progress = new ProgressStore();
  private final ReadyStore ready = new ReadyStore();
  private final BookingStore bookings = new BookingStore();
  private final HistoryStore history = new HistoryStore();
  private final WakeUps wakeUps;

  JobCommands(Database database, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.wakeUps = wakeUps;
  }

  /** Cancels; doing it twice, or after the end, changes nothing. */
  JobView cancel(long id, String words) {
    return database.transaction(
        handle -> {
          JobFacts job = locked(handle, id);
          Instant now = time.now(handle);
          if (job.state() == JobState.WAITING) {
            progress.cancelWaiting(handle, job, words, now);
            ready.delete(handle, List.of(id));
            note(handle, job, JobState.CANCELLED, words, now);
          } else if (job.live() && job.cancelReason() == null) {
            jobs.askCancel(handle, job, words);
            bookings.askStop(handle, new AttemptId(id, job.attempt()));
            note(handle, job, job.state(), "asked to stop: " + words, now);
            wakeUps.nodeChanged(handle, UUID.fromString(job.nodeId()));
          }
          return view(handle, id);
        });
  }

  /** Makes a failed or cancelled job wait again, with all its retries. */
  JobView retry(long id, String who) {
    return database.transaction(
        handle -> {
          JobFacts job = locked(handle, id);
          if (!job.state().ended() || !job.state().mayBecome(JobState.WAITING)) {
            throw new MillraceException(
                ErrorCode.CONFLICT,
                "job " + id + " is " + job.state() + "; only FAILED or CANCELLED jobs are retried");
          }
          Instant now = time.now(handle);
          jobs.revive(handle, job, freeSingle(handle, id));
          ready.insert(handle, List.of(new Ready(job, now)));
          note(handle, job, JobState.WAITING, "retried by " + who, now);
          wakeUps.ready(handle);
          return view(handle, id);
        });
  }

  private String freeSingle(Handle handle, long id) {
    String single = reads.spec(handle, id).map(JobSpec::single).orElse(null);
    if (single != null) {
      jobs.liveSingle(handle, single)
          .ifPresent(
              other -> {
                throw JobSubmission.second(single, other);
              });
    }
    return single;
  }

  private void note(Handle handle, JobFacts job, JobState state, String words, Instant now) {
    history.write(handle, List.of(new Line(job.id(), state, job.attempt(), words)), now);
    wakeUps.jobChanged(handle, job.id());
  }

  private JobFacts locked(Handle handle, long id) {
    return jobs.lock(handle, id).orElseThrow(() -> unknown(id));
  }

  private JobView view(Handle handle, long id) {
    return reads.view(handle, id).orElseThrow(() -> unknown(id));
  }

  static MillraceException unknown(long id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_JOB,
        "no job "
            + id
            + "; ended jobs are deleted after their retention, see 'millrace job list --all'");
  }
}
