package io.millrace.manager.job;

import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobCounts;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.JobSubmission.NewJob;
import io.millrace.manager.job.JobWatcher.JobWatchers;
import io.millrace.manager.job.WorkerDao.WorkerTally;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
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
  private static final Set<JobState> ENDED =
      EnumSet.of(JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED);
  private static final Set<JobState> NOT_ENDED = EnumSet.complementOf(EnumSet.copyOf(ENDED));

  private final Database database;
  private final DatabaseTime time;
  private final JobDao jobs = new JobDao();
  private final JobReadDao reads = new JobReadDao();
  private final AttemptDao attempts = new AttemptDao();
  private final WorkerDao workers = new WorkerDao();
  private final JobWatchers watchers = new JobWatchers();
  private final Demands demands;
  private final Lanes lanes;
  private final JobSubmission submission;
  private final IdempotentSubmission idempotent;
  private final JobActions actions;
  private final SingleJobActions commands;
  private final JobCompletion finalEnds;
  private final WaitEnds waitEnds;
  private final AttemptCompletion ends;
  private final WakeUps wakeUps;

  public JobLedger(Database database, WakeUps wakeUps, ShapeDao shapes) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.wakeUps = wakeUps;
    this.demands = new Demands(shapes);
    WaitingJobs waiters = new WaitingJobs(wakeUps);
    this.waitEnds = new WaitEnds(wakeUps);
    this.lanes = new Lanes(waiters);
    Dependencies dependencies = new Dependencies(waiters, waitEnds);
    this.finalEnds = new JobCompletion(dependencies, lanes, watchers);
    this.ends = new AttemptCompletion(finalEnds, watchers, wakeUps);
    this.submission = new JobSubmission(demands, dependencies, lanes, watchers, wakeUps);
    this.idempotent = new IdempotentSubmission();
    this.actions =
        new JobActions(
            time,
            lanes,
            new Cancelling(waitEnds, finalEnds, wakeUps),
            new Holding(waiters),
            new RetryAction(time, dependencies, lanes, watchers, wakeUps),
            new Reprioritizing(shapes, wakeUps));
    this.commands = new SingleJobActions(database, actions);
  }

  /** Calls somebody in every transaction that changes jobs, from now on. */
  public void watch(JobWatcher watcher) {
    watchers.add(watcher);
  }

  /** Lets somebody fill in, from now on, what jobs do not state. */
  public void estimateBy(UsageEstimates estimates) {
    demands.estimateBy(estimates);
  }

  /** What takes the nodes' reports into this ledger. */
  public AttemptReports reports() {
    return new AttemptReports(database, lanes, ends);
  }

  /** What ends attempts whose node is gone. */
  public NodeAttempts nodeAttempts() {
    return new NodeAttempts(lanes, ends, wakeUps);
  }

  /** What ends jobs whose deadline has passed. */
  public Deadlines deadlines(ClaimDao claims) {
    return new Deadlines(database, claims, lanes, waitEnds, finalEnds, wakeUps);
  }

  /** What does things to many jobs at once. */
  public JobActions actions() {
    return actions;
  }

  /** What follows when somebody else ends jobs, such as arrays. */
  public JobCompletion finalEnds() {
    return finalEnds;
  }

  /**
   * Records jobs in the caller's transaction.
   *
   * @return their ids, in the order of the specs
   * @throws io.millrace.api.MillraceException INVALID_REQUEST for a spec that breaks a rule,
   *     CONFLICT when a single-instance name is held
   */
  public List<Long> submit(Handle handle, JobKind kind, String owner, List<JobSpec> specs) {
    return record(handle, kind, owner, specs.stream().map(NewJob::of).toList());
  }

  /** The same for jobs that may be elements of arrays. */
  public List<Long> record(Handle handle, JobKind kind, String owner, List<NewJob> jobs) {
    return submission.submit(handle, kind, owner, jobs, time.now(handle));
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
   * Records one job of a person or program, at most once for each key of that owner: a repetition
   * within ten minutes of the last gets the job of the first.
   *
   * @throws io.millrace.api.MillraceException CONFLICT when the key came with something else before
   */
  public JobView submit(String owner, JobSpec spec, String key) {
    return database.transaction(
        handle -> {
          long id =
              idempotent.submit(
                  handle,
                  owner,
                  key,
                  spec,
                  time.now(handle),
                  () -> submit(handle, JobKind.SUBMITTED, owner, List.of(spec)).get(0));
          return reads.view(handle, id).orElseThrow(() -> SingleJobActions.unknown(id));
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

  /**
   * The same for many: the single-instance names of the jobs whose current attempts these are, by
   * attempt. Others, and jobs without such a name, are left out.
   */
  public Map<AttemptId, String> lockCurrent(Handle handle, Collection<AttemptId> attempts) {
    Set<AttemptId> asked = Set.copyOf(attempts);
    Map<AttemptId, String> current = new HashMap<>();
    for (JobFacts job : jobs.lock(handle, asked.stream().map(AttemptId::job).toList())) {
      AttemptId attempt = new AttemptId(job.id(), job.attempt());
      if (job.live() && job.single() != null && asked.contains(attempt)) {
        current.put(attempt, job.single());
      }
    }
    return current;
  }

  /** Manager jobs that have not ended, by id. */
  public List<JobView> liveManagers() {
    // All of them, however many: one who creates missing managers must not see just a page.
    List<JobView> all = new ArrayList<>();
    Long before = null;
    List<JobView> page;
    do {
      JobFilter filter =
          new JobFilter(JobKind.MANAGER, NOT_ENDED, null, null, before, JobFilter.MOST);
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
    return commands.act(id, new ActionRequest(Verb.CANCEL, null, null, words));
  }

  /**
   * Makes a failed or cancelled job wait again.
   *
   * @param who wants it, for people
   * @throws io.millrace.api.MillraceException CONFLICT in any other state
   */
  public JobView retry(long id, String who) {
    return act(id, new ActionRequest(Verb.RETRY, null, who, null));
  }

  /**
   * Does something to one job.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_JOB, CONFLICT when it doesn't fit the job's
   *     state, INVALID_REQUEST for a priority out of range
   */
  public JobView act(long id, ActionRequest request) {
    return commands.act(id, request);
  }

  /** The workers of one segment. */
  public WorkerTally workers(String queue, String segmentNode) {
    return workers().getOrDefault(new SegmentKey(queue, segmentNode), WorkerTally.NONE);
  }

  /** The workers of all segments that ever had one. */
  public Map<SegmentKey, WorkerTally> workers() {
    return database.read(workers::tallies);
  }

  /** Workers of a queue submitted and not ended, by segment, in the caller's transaction. */
  public Map<String, Integer> outstandingWorkers(Handle handle, String queue) {
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
                  reads.list(handle, new JobFilter(kind, NOT_ENDED, queue, null, null, limit)));
          if (found.size() < limit) {
            int rest = limit - found.size();
            found.addAll(reads.list(handle, new JobFilter(kind, ENDED, queue, null, null, rest)));
          }
          return found;
        });
  }

  /** Jobs that people and programs submitted, by state. */
  public JobCounts submittedCounts() {
    return database.read(handle -> reads.counts(handle).of(EnumSet.of(JobKind.SUBMITTED)));
  }

  /** All jobs by state, workers and managers included. */
  public JobCounts allCounts() {
    return database.read(handle -> reads.counts(handle).of(EnumSet.allOf(JobKind.class)));
  }
}
