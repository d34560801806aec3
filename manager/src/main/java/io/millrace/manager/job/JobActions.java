package io.millrace.manager.job;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
  private final Retrying retrying;
  private final Reprioritizing reprioritizing;
  private volatile ArrayActions arrays = (handle, request, all, result, now) -> all;

  JobActions(
      DatabaseTime time,
      Lanes lanes,
      Cancelling cancelling,
      Holding holding,
      Retrying retrying,
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
}
