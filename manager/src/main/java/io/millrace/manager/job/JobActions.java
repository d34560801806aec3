package io.millrace.manager.job;

import static java.util.stream.Collectors.toSet;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobDao.Priority;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WaitingJobs.WaitingChange;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Applies one action (cancel, hold, release, retry, priority) to any number of jobs, in the
 * caller's transaction. Thread-safe.
 *
 * <p>Callers with many jobs pass them in chunks of at most a thousand, each in its own transaction,
 * so that no lock is held for long.
 */
public final class JobActions {
  private final JobDao jobs = new JobDao();
  private final BookingDao bookings = new BookingDao();
  private final HistoryDao history = new HistoryDao();
  private final EndedElements endedElements = new EndedElements();
  private final DatabaseTime time;
  private final ShapeDao shapes;
  private final Lanes lanes;
  private final WaitingJobs waitingJobs;
  private final JobCompletion completion;
  private final RetryAction retryAction;
  private final WakeUps wakeUps;
  private volatile UserActionRule userRule = (handle, verb, ids) -> Map.of();
  private volatile ArrayActions arrays = (handle, request, all, result, now) -> all;

  JobActions(
      DatabaseTime time,
      ShapeDao shapes,
      Lanes lanes,
      WaitingJobs waitingJobs,
      JobCompletion completion,
      RetryAction retryAction,
      WakeUps wakeUps) {
    this.time = time;
    this.shapes = shapes;
    this.lanes = lanes;
    this.waitingJobs = waitingJobs;
    this.completion = completion;
    this.retryAction = retryAction;
    this.wakeUps = wakeUps;
  }

  /** Lets that handler act on arrays; until then they are treated like any other job. */
  void delegateArrays(ArrayActions handler) {
    arrays = handler;
  }

  /** Refuses, from now on, what the rule says users must not do themselves. */
  public void restrict(UserActionRule rule) {
    userRule = rule;
  }

  /** Applies an action that a user requests, as {@link #apply}, unless a rule forbids it. */
  ActionResult applyForUser(Handle handle, Collection<Long> ids, ActionRequest request) {
    Map<Long, String> forbidden = userRule.refused(handle, request.verb(), ids);
    ActionResult result =
        apply(handle, ids.stream().filter(id -> !forbidden.containsKey(id)).toList(), request);
    forbidden.forEach(result::refused);
    return result;
  }

  /** Forbids users actions on jobs that something else controls. Thread-safe. */
  @FunctionalInterface
  public interface UserActionRule {
    /** Why not, for those of the jobs that the action is forbidden on. */
    Map<Long, String> refused(Handle handle, Verb verb, Collection<Long> ids);
  }

  /**
   * Applies the action to those of the jobs whose state permits it.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST for PRIORITY without a priority or
   *     with one out of range
   */
  public ActionResult apply(Handle handle, Collection<Long> ids, ActionRequest request) {
    JobRules.checkAction(request);
    ActionResult result = new ActionResult();
    if (request.verb() == Verb.RETRY) {
      retryAction.apply(handle, ids, request, arrays, result);
    } else {
      lanes.lockOf(handle, ids);
      List<JobFacts> locked = jobs.lock(handle, ids);
      Instant now = time.now(handle);
      act(handle, request, ordinary(handle, request, locked, arrays, result, now), result, now);
    }
    TreeSet<Long> unknown = new TreeSet<>(ids);
    unknown.removeAll(result.changed());
    unknown.removeAll(result.refused().keySet());
    refuseEnded(handle, endedElements.facts(handle, unknown), request, result);
    unknown.removeAll(result.refused().keySet());
    unknown.forEach(id -> result.refused(id, JobMessages.DOES_NOT_EXIST));
    return result;
  }

  /** Answers for elements of arrays that have succeeded and have no rows any more. */
  private void refuseEnded(
      Handle handle, List<JobFacts> ended, ActionRequest request, ActionResult result) {
    if (request.verb() == Verb.RETRY) {
      ended.forEach(job -> result.refused(job.id(), JobMessages.notRetried(job.state())));
    } else if (!ended.isEmpty()) {
      act(handle, request, ended, result, time.now(handle));
    }
  }

  private void act(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    switch (request.verb()) {
      case CANCEL -> cancel(handle, locked, request.event("cancelled"), result, now);
      case HOLD -> hold(handle, locked, request.event("held"), result, now);
      case RELEASE -> release(handle, locked, request.event("released"), result, now);
      case PRIORITY -> setPriority(handle, locked, request, result, now);
      case RETRY -> throw new IllegalArgumentException("retries lock their jobs themselves");
      case DELETE -> throw new IllegalArgumentException("JobDeletion deletes jobs");
    }
  }

  /** The jobs that need no special treatment as arrays. */
  static List<JobFacts> ordinary(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ArrayActions arrays,
      ActionResult result,
      Instant now) {
    List<JobFacts> arrayJobs = locked.stream().filter(JobFacts::isArray).toList();
    if (arrayJobs.isEmpty()) {
      return locked;
    }
    List<JobFacts> ordinary = new ArrayList<>(locked);
    ordinary.removeAll(arrayJobs);
    ordinary.addAll(arrays.apply(handle, request, arrayJobs, result, now));
    return ordinary;
  }

  // Waiting jobs end at once, running ones as soon as their node has stopped them.
  private void cancel(
      Handle handle, List<JobFacts> locked, String reason, ActionResult result, Instant now) {
    List<EndedJob> ended = new ArrayList<>();
    List<JobFacts> stopping = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.state().waits()) {
        ended.add(new EndedJob(job, JobState.CANCELLED, reason));
        result.changed(job.id());
      } else if (!job.live()) {
        result.refused(job.id(), JobMessages.alreadyEnded(job.state()));
      } else if (job.cancelReason() != null) {
        result.refused(job.id(), JobMessages.alreadyCancelled(job.cancelReason()));
      } else {
        stopping.add(job);
        result.changed(job.id());
      }
    }
    completion.endWaiting(handle, ended, now);
    if (!stopping.isEmpty()) {
      jobs.requestCancel(handle, stopping, reason);
      requestStop(handle, stopping, reason, now);
      stopping.forEach(job -> wakeUps.jobChanged(handle, job.id()));
    }
  }

  private void requestStop(Handle handle, List<JobFacts> running, String reason, Instant now) {
    bookings.requestStop(handle, running.stream().map(JobFacts::currentAttempt).toList());
    history.write(
        handle,
        running.stream()
            .map(
                job ->
                    new Line(
                        job.id(), job.state(), job.attempt(), JobMessages.stopRequested(reason)))
            .toList(),
        now);
    running.stream()
        .map(JobFacts::nodeId)
        .distinct()
        .forEach(node -> wakeUps.nodeChanged(handle, UUID.fromString(node)));
  }

  private void hold(
      Handle handle, List<JobFacts> locked, String event, ActionResult result, Instant now) {
    List<WaitingChange> changes = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.kind() != JobKind.SUBMITTED) {
        result.refused(job.id(), "works for a queue; pause the queue instead");
      } else if (job.held()) {
        result.refused(job.id(), "is already held");
      } else if (job.state().waits()) {
        changes.add(new WaitingChange(job, true, job.unmet(), event));
        result.changed(job.id());
      } else {
        result.refused(
            job.id(), JobMessages.predicate(job.state()) + "; only waiting jobs can be held");
      }
    }
    waitingJobs.apply(handle, changes, now);
  }

  private void release(
      Handle handle, List<JobFacts> locked, String event, ActionResult result, Instant now) {
    List<WaitingChange> changes = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.held() && job.state().waits()) {
        changes.add(new WaitingChange(job, false, job.unmet(), event));
        result.changed(job.id());
      } else {
        result.refused(
            job.id(), JobMessages.predicate(job.state()) + "; only held jobs can be released");
      }
    }
    waitingJobs.apply(handle, changes, now);
  }

  // Takes effect at once for waiting jobs, and for running ones from their next try.
  private void setPriority(
      Handle handle,
      List<JobFacts> locked,
      ActionRequest request,
      ActionResult result,
      Instant now) {
    int priority = request.priority();
    String event = request.event("priority set to " + priority);
    List<JobFacts> changing = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.state().ended()) {
        result.refused(job.id(), JobMessages.alreadyEnded(job.state()));
      } else if (job.priority() == priority) {
        result.refused(job.id(), "already has priority " + priority);
      } else {
        changing.add(job);
        result.changed(job.id());
      }
    }
    if (changing.isEmpty()) {
      return;
    }
    Map<Long, Long> newShapes = shapesWithPriority(handle, changing, priority);
    jobs.setPriorities(
        handle,
        changing.stream()
            .map(job -> new Priority(job, priority, newShapes.get(job.shapeId())))
            .toList());
    history.write(
        handle,
        changing.stream()
            .map(job -> new Line(job.id(), job.state(), job.attempt(), event))
            .toList(),
        now);
    changing.forEach(job -> wakeUps.jobChanged(handle, job.id()));
    wakeUps.ready(handle);
  }

  /** The ids of the jobs' shapes with that priority, by the ids of their present shapes. */
  private Map<Long, Long> shapesWithPriority(Handle handle, List<JobFacts> jobs, int priority) {
    Map<Long, Shape> old =
        shapes.find(handle, jobs.stream().map(JobFacts::shapeId).collect(toSet()));
    Map<Shape, Long> ids =
        shapes.idsOf(
            handle, old.values().stream().map(shape -> shape.withPriority(priority)).toList());
    Map<Long, Long> moved = new HashMap<>();
    old.forEach((id, shape) -> moved.put(id, ids.get(shape.withPriority(priority))));
    return moved;
  }

  /**
   * An action that was requested for jobs.
   *
   * @param verb what to do
   * @param priority the new priority for PRIORITY; null otherwise
   * @param actor requested it; null if the reason names it
   * @param reason human-readable reason; null for none
   */
  public record ActionRequest(Verb verb, Integer priority, String actor, String reason) {
    /** What was done, by whom and why, for histories. */
    public String event(String done) {
      if (actor == null) {
        return reason;
      }
      String by = done + " by " + actor;
      return reason == null || reason.isBlank() ? by : by + ": " + reason.strip();
    }
  }

  /** The outcome of an action for each job. Not thread-safe; used within one transaction. */
  static final class ActionResult {
    private final Set<Long> changed = new LinkedHashSet<>();
    private final Map<Long, String> refused = new LinkedHashMap<>();

    public void changed(long job) {
      changed.add(job);
    }

    /** The job's state does not permit the action; the message follows "job N". */
    public void refused(long job, String message) {
      refused.put(job, message);
    }

    /** Jobs that changed. */
    public Set<Long> changed() {
      return changed;
    }

    /** Why other jobs did not change, by job. */
    public Map<Long, String> refused() {
      return refused;
    }
  }

  /** Carries out actions on arrays as a whole. Implementations are thread-safe. */
  @FunctionalInterface
  interface ArrayActions {
    /**
     * Applies the action in the caller's transaction.
     *
     * @param arrays the arrays' own jobs, locked
     * @return those of them that are to be treated like any other job as well
     */
    List<JobFacts> apply(
        Handle handle,
        ActionRequest request,
        List<JobFacts> arrays,
        ActionResult result,
        Instant now);
  }
}
