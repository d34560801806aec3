package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.overview.FailedRun;
import io.millrace.api.overview.JobCounts;
import io.millrace.manager.job.store.AttemptStore;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.job.store.JobFacts;
import io.millrace.manager.job.store.JobReadStore;
import io.millrace.manager.job.store.JobStore;
import io.millrace.manager.job.store.WorkerStore;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * The jobs as the other parts of the central manager use them. Thread-safe; every method blocks on
 * the database.
 */
public final class JobLedger {
  private static final Set<JobState> LIVE =
      EnumSet.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING);
  private static final Set<JobState> ENDED = EnumSet.complementOf(EnumSet.copyOf(LIVE));

  private final Database database;
  private final DatabaseTime time;
  private final JobStore jobs = new JobStore();
  private final JobReadStore reads = new JobReadStore();
  private final AttemptStore attempts = new AttemptStore();
  private final WorkerStore workers = new WorkerStore();
  private final JobSubmission submission;
  private final JobCommands commands;
  private final AttemptEnds ends;

  public JobLedger(Database database, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.submission = new JobSubmission(wakeUps);
    this.commands = new JobCommands(database, wakeUps);
    this.ends = new AttemptEnds(wakeUps);
  }

  /** What takes the nodes' reports into this ledger. */
  public AttemptReports reports() {
    return new AttemptReports(database, ends);
  }

  /** What ends attempts whose node is gone. */
  public NodeAttempts nodeAttempts() {
    return new NodeAttempts(ends);
  }

  /**
   * Records jobs in the caller's transaction.
   *
   * @return their ids, in the order of the specs
   * @throws io.millrace.api.problem.MillraceException INVALID_REQUEST for a spec that breaks a
   *     rule, CONFLICT when a single-instance name is held
   */
  public List<Long> submit(Handle handle, JobKind kind, String owner, List<JobSpec> specs) {
    return submission.submit(handle, kind, owner, specs, time.now(handle));
  }

  /** Records one job of a person or program. */
  public JobView submit(String owner, JobSpec spec) {
    return database.transaction(
        handle -> {
          List<Long> ids = submit(handle, JobKind.SUBMITTED, owner, List.of(spec));
          return reads.view(handle, ids.get(0)).orElseThrow();
        });
  }

  /**
   * Locks the job's row until the end of the caller's transaction and tells whether the attempt is
   * the job's current one and has not ended (the fence of everything that an attempt asks for).
   */
  public boolean lockCurrent(Handle handle, AttemptId attempt) {
    return jobs.lock(handle, attempt.job())
        .filter(JobFacts::live)
        .filter(job -> job.attempt() == attempt.number())
        .isPresent();
  }

  /** Manager jobs that have not ended, by id. */
  public List<JobView> liveManagers() {
    // All of them, however many: one who creates missing managers must not see just a page.
    List<JobView> all = new ArrayList<>();
    Long before = null;
    List<JobView> page;
    do {
      JobFilter filter = new JobFilter(JobKind.MANAGER, LIVE, null, null, before, JobFilter.MOST);
      page = database.read(handle -> reads.list(handle, filter));
      all.addAll(page);
      before = page.isEmpty() ? null : page.get(page.size() - 1).id();
    } while (page.size() == JobFilter.MOST);
    all.sort(Comparator.comparingLong(JobView::id));
    return all;
  }

  /** The one job of that single-instance name that has not ended. */
  public Optional<JobView> liveSingle(String name) {
    return database.read(
        handle -> jobs.liveSingle(handle, name).flatMap(id -> reads.view(handle, id)));
  }

  /**
   * Cancels a job: a waiting one at once, a running one as soon as its node has stopped it. An
   * ended one stays as it is.
   *
   * @param words why, for people
   */
  public JobView cancel(long id, String words) {
    return commands.cancel(id, words);
  }

  /**
   * Makes a failed or cancelled job wait again.
   *
   * @param who wants it, for people
   * @throws io.millrace.api.problem.MillraceException CONFLICT in any other state
   */
  public JobView retry(long id, String who) {
    return commands.retry(id, who);
  }

  /** The workers of one segment. */
  public WorkerTally workers(String queue, String segmentNode) {
    return workers().getOrDefault(new SegmentKey(queue, segmentNode), WorkerTally.NONE);
  }

  /** The workers of all segments that ever had one. */
  public Map<SegmentKey, WorkerTally> workers() {
    return database.read(workers::tallies);
  }

  /** Workers of the whole queue submitted and not ended. */
  public int outstandingWorkers(String queue) {
    return database.read(handle -> workers.outstanding(handle, queue));
  }

  /** The same, in the caller's transaction. */
  public int outstandingWorkers(Handle handle, String queue) {
    return workers.outstanding(handle, queue);
  }

  /** The last worker run of the queue that failed by itself, while it is kept. */
  public Optional<FailedRun> lastFailure(String queue) {
    return database.read(handle -> attempts.lastFailedWorker(handle, queue));
  }

  /** Live jobs of a queue first, then ended ones, each newest first. */
  public List<JobView> jobsOf(String queue, JobKind kind, int limit) {
    return database.read(
        handle -> {
          List<JobView> found =
              new ArrayList<>(
                  reads.list(handle, new JobFilter(kind, LIVE, queue, null, null, limit)));
          if (found.size() < limit) {
            int rest = limit - found.size();
            found.addAll(reads.list(handle, new JobFilter(kind, ENDED, queue, null, null, rest)));
          }
          return found;
        });
  }

  /** Jobs that people and programs submitted, by state. */
  public JobCounts submittedCounts() {
    return database.read(handle -> reads.counts(handle, EnumSet.of(JobKind.SUBMITTED)));
  }

  /** All jobs by state, workers and managers included. */
  public JobCounts allCounts() {
    return database.read(handle -> reads.counts(handle, EnumSet.allOf(JobKind.class)));
  }
}
