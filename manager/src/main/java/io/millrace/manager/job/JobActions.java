package io.millrace.manager.job;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Does one thing to any number of jobs at once, in the caller's transaction. Thread-safe.
 *
 * <p>Callers with many jobs bring them in chunks of at most a thousand, each in a transaction of
 * its own, so that no lock is held for long.
 */
public final class JobActions {
  private final JobDao jobs = new JobDao();
  private final DatabaseTime time;
  private final Lanes lanes;
  private final Cancelling cancelling;
  private final Holding holding;
  private final RetryAction retrying;
  private final Reprioritizing reprioritizing;
  private volatile ArrayActions arrays = (handle, request, all, result, now) -> all;

  JobActions(
      DatabaseTime time,
      Lanes lanes,
      Cancelling cancelling,
      Holding holding,
      RetryAction retrying,
      Reprioritizing reprioritizing) {
    this.time = time;
    this.lanes = lanes;
    this.cancelling = cancelling;
    this.holding = holding;
    this.retrying = retrying;
    this.reprioritizing = reprioritizing;
  }

  /** Lets somebody else act on arrays; until then they are treated like any other job. */
  public void arraysBy(ArrayActions actions) {
    arrays = actions;
  }

  /**
   * Does it to those of the jobs that it fits.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST for PRIORITY without one, or out of
   *     range
   */
  public ActionResult apply(Handle handle, Collection<Long> ids, ActionRequest request) {
    JobRules.checkAction(request);
    ActionResult result = new ActionResult();
    if (request.verb() == Verb.RETRY) {
      retrying.apply(handle, ids, request, arrays, result);
    } else {
      lanes.lockOf(handle, ids);
      List<JobFacts> locked = jobs.lock(handle, ids);
      Instant now = time.now(handle);
      act(handle, request, ordinary(handle, request, locked, arrays, result, now), result, now);
    }
    TreeSet<Long> unknown = new TreeSet<>(ids);
    unknown.removeAll(result.changed());
    unknown.removeAll(result.refused().keySet());
    unknown.forEach(id -> result.refused(id, "is not there; ended jobs are deleted after a time"));
    return result;
  }

  private void act(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ActionResult result,
      Instant now) {
    switch (request.verb()) {
      case CANCEL -> cancelling.apply(handle, locked, request.words("cancelled"), result, now);
      case HOLD -> holding.hold(handle, locked, request.words("held"), result, now);
      case RELEASE -> holding.release(handle, locked, request.words("released"), result, now);
      case PRIORITY -> reprioritizing.apply(handle, locked, request, result, now);
      case RETRY -> throw new IllegalArgumentException("retries lock their jobs by themselves");
    }
  }

  /** The jobs that nothing but their own rows decides about. */
  static List<JobFacts> ordinary(
      Handle handle,
      ActionRequest request,
      List<JobFacts> locked,
      ArrayActions arrays,
      ActionResult result,
      Instant now) {
    List<JobFacts> whole = locked.stream().filter(JobFacts::isArray).toList();
    if (whole.isEmpty()) {
      return locked;
    }
    List<JobFacts> ordinary = new ArrayList<>(locked);
    ordinary.removeAll(whole);
    ordinary.addAll(arrays.apply(handle, request, whole, result, now));
    return ordinary;
  }

  /**
   * What somebody wants done to jobs.
   *
   * @param verb what
   * @param priority the new one for PRIORITY; null otherwise
   * @param who wants it, for people; null when the reason says all
   * @param reason for people; null for none
   */
  public record ActionRequest(Verb verb, Integer priority, String who, String reason) {
    /** What was done, by whom and why, for histories. */
    public String words(String done) {
      if (who == null) {
        return reason;
      }
      String by = done + " by " + who;
      return reason == null || reason.isBlank() ? by : by + ": " + reason.strip();
    }
  }

  /** What became of an action, job by job. Not thread-safe; lives for one transaction. */
  static final class ActionResult {
    private final Set<Long> changed = new LinkedHashSet<>();
    private final Map<Long, String> refused = new LinkedHashMap<>();

    public void changed(long job) {
      changed.add(job);
    }

    /** The action doesn't fit the job; the words say why and what would. */
    public void refused(long job, String words) {
      refused.put(job, words);
    }

    /** Jobs that changed. */
    public Set<Long> changed() {
      return changed;
    }

    /** Why others did not, by job. */
    public Map<Long, String> refused() {
      return refused;
    }
  }

  /** Carries out actions on arrays as a whole. Implementations are thread-safe. */
  @FunctionalInterface
  interface ArrayActions {
    /**
     * Does it in the caller's transaction.
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
