package io.millrace.manager.job;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.Dependencies.DependencyState;
import io.millrace.manager.job.DependencyDao.Edge;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.JobActions.ArrayActions;
import io.millrace.manager.job.JobDao.Revival;
import io.millrace.manager.job.Lanes.Entrance;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Makes failed and cancelled jobs wait again, with all their retries; in a lane they go to its end.
 * Their dependencies are checked again: those on jobs that no longer exist count as met.
 */
final class RetryAction {
  private final JobDao jobs = new JobDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final DeadlineDao deadlines = new DeadlineDao();
  private final HistoryDao history = new HistoryDao();
  private final DatabaseTime time;
  private final Dependencies dependencies;
  private final Lanes lanes;
  private final JobWatcher watcher;
  private final WakeUps wakeUps;

  RetryAction(
      DatabaseTime time,
      Dependencies dependencies,
      Lanes lanes,
      JobWatcher watcher,
      WakeUps wakeUps) {
    this.time = time;
    this.dependencies = dependencies;
    this.lanes = lanes;
    this.watcher = watcher;
    this.wakeUps = wakeUps;
  }

  /** What to record for the retried jobs. Not thread-safe; used within one transaction. */
  private static final class Plan {
    private final List<Revival> revivals = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();
    private final List<Ready> ready = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final Map<Long, Instant> deadlines = new HashMap<>();
    private final Map<String, Long> singles = new HashMap<>();
  }

  /** Locks the jobs and all jobs that they depend on, by rising id. */
  private List<JobFacts> lock(Handle handle, Collection<Long> ids, Map<Long, JobSpec> specs) {
    TreeSet<Long> all = new TreeSet<>(ids);
    specs.values().forEach(spec -> spec.after().forEach(condition -> all.add(condition.job())));
    return jobs.lock(handle, all);
  }

  void apply(
      Handle handle,
      Collection<Long> ids,
      ActionRequest request,
      ArrayActions arrays,
      ActionResult result) {
    Map<Long, JobSpec> specs = jobs.specs(handle, ids);
    Entrance entrance = lanes.open(handle, specs.values().stream().map(JobSpec::lane).toList());
    List<JobFacts> locked = lock(handle, specs.keySet(), specs);
    Instant now = time.now(handle);
    Map<Long, JobState> states =
        new HashMap<>(locked.stream().collect(toMap(JobFacts::id, JobFacts::state)));
    dependencies.addEndedElements(
        handle,
        specs.values().stream()
            .flatMap(spec -> spec.after().stream())
            .map(Dependency::job)
            .collect(toSet()),
        states);
    List<JobFacts> eligible =
        JobActions.ordinary(
            handle,
            request,
            locked.stream().filter(job -> specs.containsKey(job.id())).toList(),
            arrays,
            result,
            now);
    String event = request.event("retried");
    Plan plan = new Plan();
    List<JobFacts> retried = new ArrayList<>();
    for (JobFacts job : eligible) {
      JobSpec spec = specs.get(job.id());
      DependencyState dependencyState = Dependencies.check(known(spec.after(), states), states);
      String refusal = refusal(handle, job, spec, dependencyState, plan, now);
      if (refusal != null) {
        result.refused(job.id(), refusal);
      } else {
        plan(job, spec, dependencyState, entrance, plan, event, now);
        states.put(job.id(), JobState.WAITING);
        retried.add(job);
        result.changed(job.id());
      }
    }
    record(handle, plan, entrance, now);
    if (!retried.isEmpty()) {
      watcher.jobsRetried(handle, retried, now);
      wakeUps.ready(handle);
    }
  }

  private static List<Dependency> known(List<Dependency> after, Map<Long, JobState> states) {
    return after.stream().filter(condition -> states.containsKey(condition.job())).toList();
  }

  private String refusal(
      Handle handle,
      JobFacts job,
      JobSpec spec,
      DependencyState dependencyState,
      Plan plan,
      Instant now) {
    if (!job.state().mayBecome(JobState.WAITING) || !job.state().ended()) {
      return JobMessages.notRetried(job.state());
    }
    if (job.deadline() != null && !job.deadline().isAfter(now)) {
      return "had its deadline at " + job.deadline() + "; submit it again with a later one";
    }
    if (dependencyState.impossible() != null) {
      return "cannot run: " + dependencyState.impossible() + "; retry that job first";
    }
    if (spec.single() == null) {
      return null;
    }
    Long other = plan.singles.putIfAbsent(spec.single(), job.id());
    if (other == null) {
      other = jobs.liveSingle(handle, spec.single()).orElse(null);
    }
    return other == null
        ? null
        : "cannot wait again: " + JobMessages.singleHeld(spec.single(), other).getMessage();
  }

  private static void plan(
      JobFacts job,
      JobSpec spec,
      DependencyState dependencyState,
      Entrance entrance,
      Plan plan,
      String event,
      Instant now) {
    int unmet = dependencyState.unmet().size();
    boolean itsTurn = entrance.first(spec.lane()) && job.array() == null;
    JobState next = WaitingJobs.state(false, unmet, itsTurn);
    entrance.enter(job.id(), spec.lane());
    String reason = next == JobState.BLOCKED ? JobMessages.blocked(unmet, spec.lane()) : null;
    plan.revivals.add(new Revival(job, next, unmet, spec.single(), event, reason));
    dependencyState.unmet().forEach(condition -> plan.edges.add(new Edge(job.id(), condition)));
    if (job.deadline() != null && !job.isArray()) {
      plan.deadlines.put(job.id(), job.deadline());
    }
    if (next == JobState.WAITING && !job.isArray()) {
      plan.ready.add(new Ready(job, now));
    }
    plan.lines.add(new Line(job.id(), next, job.attempt(), event));
  }

  private void record(Handle handle, Plan plan, Entrance entrance, Instant now) {
    jobs.resetForRetry(handle, plan.revivals);
    dependencies.record(handle, plan.edges);
    dependencies.forgetCancelled(
        handle, plan.revivals.stream().map(revival -> revival.job().id()).toList());
    lanes.close(handle, entrance);
    deadlines.insert(handle, plan.deadlines);
    ready.insert(handle, plan.ready);
    history.write(handle, plan.lines, now);
    plan.revivals.stream().map(Revival::job).forEach(job -> wakeUps.jobChanged(handle, job.id()));
  }
}
