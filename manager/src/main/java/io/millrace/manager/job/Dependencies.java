package io.millrace.manager.job;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.DependencyDao.Edge;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WaitingJobs.WaitingChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * Dependencies of jobs on the ends of others. A dependency that can no longer be met cancels the
 * job that has it, at submission as well as later, so that it makes no difference which of the two
 * jobs comes first. Thread-safe.
 */
final class Dependencies {
  private final DependencyDao store = new DependencyDao();
  private final JobDao jobs = new JobDao();
  private final EndedElements endedElements = new EndedElements();
  private final WaitingJobs waitingJobs;

  Dependencies(WaitingJobs waitingJobs) {
    this.waitingJobs = waitingJobs;
  }

  /**
   * The state of a job's dependencies.
   *
   * @param unmet those that are not met yet
   * @param impossible why one can no longer be met; null if all can
   * @param unmeetable that one; null if all can
   */
  record DependencyState(List<Dependency> unmet, String impossible, Dependency unmeetable) {}

  /**
   * Locks the jobs that new ones depend on, so that none of them ends unnoticed.
   *
   * @return their states
   */
  Map<Long, JobState> lock(Handle handle, Collection<Dependency> conditions) {
    if (conditions.isEmpty()) {
      return Map.of();
    }
    Set<Long> ids = conditions.stream().map(Dependency::job).collect(toSet());
    Map<Long, JobState> states = new HashMap<>();
    jobs.lock(handle, ids).forEach(job -> states.put(job.id(), job.state()));
    addEndedElements(handle, ids, states);
    return states;
  }

  /** Adds the states of those of the jobs that are ended elements of arrays, without rows. */
  void addEndedElements(Handle handle, Collection<Long> ids, Map<Long, JobState> states) {
    List<Long> missing = ids.stream().filter(id -> !states.containsKey(id)).toList();
    endedElements.find(handle, missing).keySet().forEach(id -> states.put(id, JobState.SUCCEEDED));
  }

  /**
   * Compares dependencies with the states of the jobs that they name.
   *
   * @throws MillraceException INVALID_REQUEST for a job that does not exist
   */
  static DependencyState check(List<Dependency> conditions, Map<Long, JobState> states) {
    List<Dependency> unmet = new ArrayList<>();
    Dependency unmeetable = null;
    for (Dependency condition : conditions) {
      JobState state = states.get(condition.job());
      if (state == null) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "after: job %d does not exist; leave it out if it ended long ago"
                .formatted(condition.job()));
      }
      if (!state.ended()) {
        unmet.add(condition);
      } else if (!condition.met(state) && unmeetable == null) {
        unmeetable = condition;
      }
    }
    String impossible =
        unmeetable == null
            ? null
            : reason(unmeetable.job(), states.get(unmeetable.job()), "which it waits for");
    return new DependencyState(unmet, impossible, unmeetable);
  }

  /** Records the dependencies of new jobs. */
  void record(Handle handle, List<Edge> edges) {
    store.insert(handle, edges);
  }

  /** Records which jobs are cancelled because of which dependencies. */
  void recordCancelled(Handle handle, List<Edge> edges) {
    store.recordCancelled(handle, edges);
  }

  /** Forgets why these jobs were cancelled: they wait again. */
  void forgetCancelled(Handle handle, Collection<Long> ids) {
    store.forgetCancelled(handle, ids);
  }

  /** Deletes the dependencies of these jobs, which have ended. */
  void forget(Handle handle, List<EndedJob> ended) {
    store.deleteOf(
        handle,
        ended.stream()
            .map(EndedJob::job)
            .filter(job -> job.unmet() > 0)
            .map(JobFacts::id)
            .toList());
  }

  /**
   * Releases the jobs whose last dependency is met by these ends.
   *
   * @return the jobs to be cancelled because a dependency can no longer be met; locked
   */
  List<EndedJob> resolve(Handle handle, List<EndedJob> ended, Instant now) {
    Map<Long, EndedJob> byId =
        ended.stream().collect(toMap(end -> end.job().id(), Function.identity()));
    Map<Long, List<Edge>> waiting = new TreeMap<>();
    for (Edge edge : store.waitingFor(handle, byId.keySet())) {
      waiting.computeIfAbsent(edge.job(), id -> new ArrayList<>()).add(edge);
    }
    if (waiting.isEmpty()) {
      return List.of();
    }
    store.deleteOn(handle, byId.keySet());
    List<WaitingChange> released = new ArrayList<>();
    List<EndedJob> cancelled = new ArrayList<>();
    List<Edge> because = new ArrayList<>();
    for (JobFacts job : jobs.lock(handle, waiting.keySet())) {
      // Others were cancelled before this transaction got their lock.
      if (job.state().waits()) {
        decide(job, waiting.get(job.id()), byId, released, cancelled, because);
      }
    }
    waitingJobs.apply(handle, released, now);
    store.recordCancelled(handle, because);
    return cancelled;
  }

  private static void decide(
      JobFacts job,
      List<Edge> edges,
      Map<Long, EndedJob> ended,
      List<WaitingChange> released,
      List<EndedJob> cancelled,
      List<Edge> because) {
    JobState last = null;
    for (Edge edge : edges) {
      last = ended.get(edge.on().job()).state();
      if (!edge.on().met(last)) {
        String reason = reason(edge.on().job(), last, "which it waits for");
        cancelled.add(new EndedJob(job, JobState.CANCELLED, reason));
        because.add(edge);
        return;
      }
    }
    long on = edges.get(edges.size() - 1).on().job();
    released.add(
        new WaitingChange(
            job, job.held(), job.unmet() - edges.size(), reason(on, last, "which it waited for")));
  }

  private static String reason(long job, JobState state, String relation) {
    String verb =
        state == JobState.CANCELLED ? "was cancelled" : state.name().toLowerCase(Locale.ROOT);
    return "job %d, %s, %s".formatted(job, relation, verb);
  }
}
