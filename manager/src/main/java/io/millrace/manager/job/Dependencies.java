package io.millrace.manager.job;

import static java.util.stream.Collectors.toMap;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.DependencyDao.Edge;
import io.millrace.manager.job.JobWatcher.EndedJob;
import io.millrace.manager.job.WaitingJobs.Change;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * Jobs that wait for the ends of others. A condition that can't be met any more cancels the job
 * that has it, at submission as well as later, so that it makes no difference which of the two
 * comes first. Thread-safe.
 */
final class Dependencies {
  private final DependencyDao store = new DependencyDao();
  private final JobDao jobs = new JobDao();
  private final WaitingJobs waitingJobs;

  Dependencies(WaitingJobs waitingJobs) {
    this.waitingJobs = waitingJobs;
  }

  /**
   * What a job's conditions come to.
   *
   * @param unmet those that are not met yet
   * @param impossible why one can't be met any more; null if all can
   */
  record Standing(List<Dependency> unmet, String impossible) {}

  /**
   * Locks the jobs that new ones wait for, so that none of them ends unseen.
   *
   * @return their states
   */
  Map<Long, JobState> lock(Handle handle, Collection<Dependency> conditions) {
    if (conditions.isEmpty()) {
      return Map.of();
    }
    return jobs.lock(handle, conditions.stream().map(Dependency::job).toList()).stream()
        .collect(toMap(JobFacts::id, JobFacts::state));
  }

  /**
   * Compares conditions with the states of the jobs that they name.
   *
   * @throws MillraceException INVALID_REQUEST for a job that doesn't exist
   */
  static Standing check(List<Dependency> conditions, Map<Long, JobState> states) {
    List<Dependency> unmet = new ArrayList<>();
    String impossible = null;
    for (Dependency condition : conditions) {
      JobState state = states.get(condition.job());
      if (state == null) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "after: there is no job "
                + condition.job()
                + "; name one that exists, or leave it out if it ended long ago");
      }
      if (!state.ended()) {
        unmet.add(condition);
      } else if (!condition.met(state) && impossible == null) {
        impossible = words(condition.job(), state, "which it waits for");
      }
    }
    return new Standing(unmet, impossible);
  }

  /** Records what new jobs wait for. */
  void record(Handle handle, List<Edge> edges) {
    store.insert(handle, edges);
  }

  /** Forgets what these jobs, which have ended, waited for. */
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
   * Carries out what these ends mean for jobs that wait for them.
   *
   * @return those that were cancelled for it, whose ends have consequences in turn
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
    List<Change> released = new ArrayList<>();
    List<EndedJob> cancelled = new ArrayList<>();
    for (JobFacts job : jobs.lock(handle, waiting.keySet())) {
      // Others were cancelled before this transaction had their lock.
      if (job.state().waits()) {
        weigh(job, waiting.get(job.id()), byId, released, cancelled);
      }
    }
    waitingJobs.apply(handle, released, now);
    return cancelled;
  }

  private static void weigh(
      JobFacts job,
      List<Edge> edges,
      Map<Long, EndedJob> ended,
      List<Change> released,
      List<EndedJob> cancelled) {
    JobState last = null;
    for (Edge edge : edges) {
      last = ended.get(edge.on().job()).state();
      if (!edge.on().met(last)) {
        String words = words(edge.on().job(), last, "which it waits for");
        cancelled.add(new EndedJob(job, JobState.CANCELLED, words));
        return;
      }
    }
    long on = edges.get(edges.size() - 1).on().job();
    released.add(
        new Change(
            job, job.held(), job.unmet() - edges.size(), words(on, last, "which it waited for")));
  }

  private static String words(long job, JobState state, String relation) {
    String verb =
        state == JobState.CANCELLED ? "was cancelled" : state.name().toLowerCase(Locale.ROOT);
    return "job " + job + ", " + relation + ", " + verb;
  }
}
