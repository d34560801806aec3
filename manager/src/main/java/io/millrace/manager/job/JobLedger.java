package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.JobWatcher.JobWatchers;
import io.millrace.manager.job.NotificationRules.WebhookRule;
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
 * Jobs as the other parts of the central manager use them. Thread-safe; every method blocks on the
 * database.
 */
public final class JobLedger {
  private static final Set<JobState> ENDED =
      EnumSet.of(JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED);
  private static final Set<JobState> NOT_ENDED = EnumSet.complementOf(EnumSet.copyOf(ENDED));

  private final Database database;
  private final DatabaseTime time;
  private final JobDao jobs = new JobDao();
  private final JobReadDao reads;
  private final AttemptDao attempts = new AttemptDao();
  private final WorkerDao workers = new WorkerDao();
  private final JobWatchers watchers = new JobWatchers();
  private final Demands demands;
  private final Lanes lanes;
  private final JobSubmission submission;
  private final IdempotentSubmission idempotent;
  private final JobActions actions;
  private final JobCompletion completion;
  private final AttemptCompletion ends;
  private final WakeUps wakeUps;
  private volatile WebhookRule webhooks = WebhookRule.ANY;

  public JobLedger(Database database, WakeUps wakeUps, ShapeDao shapes) {
    this.database = database;
    this.reads = new JobReadDao(database.dialect());
    this.time = new DatabaseTime(database.dialect());
    this.wakeUps = wakeUps;
    this.demands = new Demands(shapes);
    WaitingJobs waitingJobs = new WaitingJobs(wakeUps);
    this.lanes = new Lanes(waitingJobs);
    Dependencies dependencies = new Dependencies(waitingJobs);
    this.completion = new JobCompletion(dependencies, lanes, watchers, wakeUps);
    this.ends =
        new AttemptCompletion(new ResourceAdjustments(shapes), completion, watchers, wakeUps);
    this.submission = new JobSubmission(demands, dependencies, lanes, watchers, wakeUps);
    this.idempotent = new IdempotentSubmission();
    this.actions =
        new JobActions(
            time,
            shapes,
            lanes,
            waitingJobs,
            completion,
            new RetryAction(time, dependencies, lanes, watchers, wakeUps),
            wakeUps);
  }

  /** Calls the watcher in every transaction that changes jobs, from now on. */
  public void watch(JobWatcher watcher) {
    watchers.add(watcher);
  }

  /** Estimates from these profiles, from now on, what jobs do not state. */
  public void estimateBy(UsageProfiles profiles) {
    demands.estimateBy(profiles);
  }

  /** Which webhooks are never called, as of when it is asked. */
  public WebhookRule webhooks() {
    return webhook -> webhooks.refusal(webhook);
  }

  /** Refuses, from now on, jobs that users submit with webhooks that are never called. */
  public void refuseWebhooks(WebhookRule rule) {
    webhooks = rule;
  }

  private void requireWebhook(String place, JobSpec spec) {
    webhooks
        .problem(spec.notification())
        .ifPresent(
            problem -> {
              throw new MillraceException(ErrorCode.INVALID_REQUEST, place + problem);
            });
  }

  /** Records the reports of nodes. */
  public AttemptReports reports() {
    return new AttemptReports(database, lanes, ends, watchers);
  }

  /** Ends attempts whose node is lost. */
  public NodeAttempts nodeAttempts() {
    return new NodeAttempts(lanes, ends, wakeUps);
  }

  /** Ends jobs whose deadline has passed. */
  public Deadlines deadlines(ClaimDao claims) {
    return new Deadlines(database, claims, lanes, completion, wakeUps);
  }

  /** Applies actions to many jobs at once. */
  public JobActions actions() {
    return actions;
  }

  /** Ends jobs and carries out what follows. */
  JobCompletion completion() {
    return completion;
  }

  /**
   * Records jobs in the caller's transaction.
   *
   * @return their ids, in the order of the specs
   * @throws MillraceException INVALID_REQUEST for a spec that breaks a rule, CONFLICT when a
   *     single-instance name is held
   */
  public List<Long> submit(Handle handle, JobKind kind, String owner, List<JobSpec> specs) {
    return record(handle, kind, owner, specs.stream().map(NewJob::of).toList());
  }

  /**
   * Records jobs that may be elements of arrays; as {@link #submit(Handle, JobKind, String, List)}.
   */
  public List<Long> record(Handle handle, JobKind kind, String owner, List<NewJob> jobs) {
    return submission.submit(handle, kind, owner, jobs, time.now(handle));
  }

  /**
   * Records many jobs in one transaction, all or none.
   *
   * @return their ids, in their order
   * @throws MillraceException INVALID_REQUEST that names the first invalid job by its index;
   *     CONFLICT when a single-instance name is held
   */
  public List<Long> submitAll(JobKind kind, String owner, List<JobSpec> specs) {
    JobRules.checkBatch(kind, specs);
    for (int i = 0; i < specs.size(); i++) {
      requireWebhook("[" + i + "] ", specs.get(i));
    }
    return database.transaction(handle -> submit(handle, kind, owner, specs));
  }

  /** Records one submitted job. */
  public JobView submit(String owner, JobSpec spec) {
    requireWebhook("", spec);
    return database.transaction(
        handle -> {
          List<Long> ids = submit(handle, JobKind.SUBMITTED, owner, List.of(spec));
          return reads.view(handle, ids.get(0)).orElseThrow();
        });
  }

  /**
   * Records one submitted job, at most once for each key of that owner: a repetition within ten
   * minutes of the last returns the job of the first.
   *
   * @throws MillraceException CONFLICT when the key was used with another specification
   */
  public JobView submit(String owner, JobSpec spec, String key) {
    requireWebhook("", spec);
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
          return reads.view(handle, id).orElseThrow(() -> JobMessages.unknown(id));
        });
  }

  /**
   * Locks the job's row until the end of the caller's transaction; returns whether the attempt is
   * the job's current one and has not ended (the fence for everything that an attempt requests).
   */
  public boolean lockCurrent(Handle handle, AttemptId attempt) {
    return jobs.lock(handle, attempt.job())
        .filter(JobFacts::live)
        .filter(job -> job.attempt() == attempt.number())
        .isPresent();
  }

  /**
   * Locks many jobs likewise; returns, by attempt, the single-instance names of the jobs whose
   * current attempts these are. Other attempts, and jobs without such a name, are left out.
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
    // All of them, however many: whoever creates missing managers must not see only one page.
    List<JobView> all = new ArrayList<>();
    Long before = null;
    List<JobView> page;
    do {
      JobFilter filter =
          new JobFilter(JobKind.MANAGER, NOT_ENDED, null, null, before, JobFilter.MAX);
      page = database.read(handle -> reads.list(handle, filter));
      all.addAll(page);
      before = page.isEmpty() ? null : page.get(page.size() - 1).id();
    } while (page.size() == JobFilter.MAX);
    all.sort(Comparator.comparingLong(JobView::id));
    return all;
  }

  /** Some ids of workers of a queue that have not ended, in the caller's transaction. */
  public List<Long> liveWorkers(Handle handle, String queue, int limit) {
    JobFilter filter = new JobFilter(JobKind.WORKER, NOT_ENDED, queue, null, null, limit);
    return reads.ids(handle, filter.search(), null, limit);
  }

  /** Cancels jobs, as {@link #cancel(long, String)}, in one transaction; at most some hundred. */
  public void cancel(List<Long> ids, String reason) {
    database.transaction(
        handle -> actions.apply(handle, ids, new ActionRequest(Verb.CANCEL, null, null, reason)));
  }

  /** Removes the totals of a deleted queue's workers, in the caller's transaction. */
  public void forgetWorkers(Handle handle, String queue) {
    workers.remove(handle, queue);
  }

  /** The job with that single-instance name that has not ended. */
  public Optional<JobView> liveSingle(String name) {
    return database.read(
        handle -> jobs.liveSingle(handle, name).flatMap(id -> reads.view(handle, id)));
  }

  /**
   * Cancels a job: a waiting one at once, a running one as soon as its node has stopped it. An
   * ended one is not changed.
   *
   * @param reason human-readable reason
   */
  public JobView cancel(long id, String reason) {
    return act(id, new ActionRequest(Verb.CANCEL, null, null, reason));
  }

  /**
   * Makes a failed or cancelled job wait again.
   *
   * @param actor requests it
   * @throws MillraceException CONFLICT in any other state
   */
  public JobView retry(long id, String actor) {
    return act(id, new ActionRequest(Verb.RETRY, null, actor, null));
  }

  /**
   * Applies an action to one job. Cancelling it twice, or after its end, changes nothing.
   *
   * @throws MillraceException UNKNOWN_JOB, CONFLICT when the job's state does not permit it,
   *     INVALID_REQUEST for a priority out of range
   */
  public JobView act(long id, ActionRequest request) {
    return database.transaction(
        handle -> {
          ActionResult result = actions.applyForUser(handle, List.of(id), request);
          JobView view = reads.view(handle, id).orElseThrow(() -> JobMessages.unknown(id));
          String refusal = result.refused().get(id);
          if (refusal != null && request.verb() != Verb.CANCEL) {
            throw new MillraceException(ErrorCode.CONFLICT, "job " + id + " " + refusal);
          }
          return view;
        });
  }

  /** The workers of one segment. */
  public WorkerTally workers(String queue, String segmentNode) {
    return workers().getOrDefault(new SegmentKey(queue, segmentNode), WorkerTally.NONE);
  }

  /** The workers of all segments that ever had any. */
  public Map<SegmentKey, WorkerTally> workers() {
    return database.read(workers::tallies);
  }

  /** Number of workers of a queue that have not ended, by segment, in the caller's transaction. */
  public Map<String, Integer> outstandingWorkers(Handle handle, String queue) {
    return workers.outstanding(handle, queue);
  }

  /**
   * Number of workers of a queue that have not started, by segment, in the caller's transaction.
   */
  public Map<String, Integer> startingWorkers(Handle handle, String queue) {
    return workers.starting(handle, queue);
  }

  /** The queue's last worker run that failed by itself, as long as it is kept. */
  public Optional<FailedRun> lastFailure(String queue) {
    return database.read(handle -> attempts.lastFailedWorker(handle, queue));
  }

  /** Jobs of a queue: those that have not ended, then ended ones, each newest first. */
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
}
