package io.millrace.manager.insight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobEvent;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.api.job.WaitReason;
import io.millrace.api.job.WaitSpan;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.PlacementReasons.Said;
import io.millrace.manager.job.ArrayRow;
import io.millrace.manager.job.ArrayStore;
import io.millrace.manager.job.HistoryStore;
import io.millrace.manager.job.JobReadStore;
import io.millrace.manager.placement.ShapeStore;
import io.millrace.platform.claim.Claims;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Explains to people why jobs wait and waited. Thread-safe; blocks on the database. */
public final class Explanations {
  private static final int MOST_SPANS = 1000;

  private final Database database;
  private final DatabaseTime time;
  private final JobReadStore jobs = new JobReadStore();
  private final HistoryStore history = new HistoryStore();
  private final ArrayStore arrays = new ArrayStore();
  private final WaitFactsStore facts = new WaitFactsStore();
  private final ShapeWaitStore waits = new ShapeWaitStore();
  private final Blockers blockers = new Blockers();
  private final PlacementReasons placement;

  public Explanations(Database database, PoolReader pools, ShapeStore shapes, Claims claims) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.placement = new PlacementReasons(pools, shapes, claims);
  }

  /**
   * Why the job waits, what each node says to it, and what it waited for so far.
   *
   * @throws MillraceException UNKNOWN_JOB
   */
  public JobExplanation of(long id) {
    Set<String> dispatched = placement.dispatched();
    return database.read(handle -> explain(handle, id, dispatched));
  }

  private JobExplanation explain(Handle handle, long id, Set<String> dispatched) {
    Instant now = time.now(handle);
    JobView view = jobs.view(handle, id).orElseThrow(() -> unknown(id));
    WaitFacts job = facts.find(handle, id).orElseThrow(() -> unknown(id));
    JobSpec spec = jobs.spec(handle, id).orElseThrow(() -> unknown(id));
    List<WaitReason> reasons = new ArrayList<>();
    List<NodeVerdict> nodes = List.of();
    if (job.state().waits()) {
      reasons.addAll(blockers.of(handle, job, now));
    }
    if (job.placeable(now) && reasons.isEmpty()) {
      arrayLimit(handle, job).ifPresent(reasons::add);
      Said said = placement.of(handle, job, dispatched, now);
      reasons.addAll(said.reasons());
      nodes = said.verdict().nodes();
    }
    return new JobExplanation(view, List.copyOf(reasons), nodes, waits(handle, job, spec, now));
  }

  private Optional<WaitReason> arrayLimit(Handle handle, WaitFacts job) {
    if (!job.isArray()) {
      return Optional.empty();
    }
    ArrayRow array = arrays.read(handle, List.of(job.id())).get(job.id());
    int limit = array == null ? 0 : array.range().limit();
    return limit == 0 || array.open() < limit
        ? Optional.empty()
        : Optional.of(
            new WaitReason(
                WaitCode.ARRAY_LIMIT,
                array.open() + " of at most " + limit + " elements at a time are under way"));
  }

  private List<WaitSpan> waits(Handle handle, WaitFacts job, JobSpec spec, Instant now) {
    List<JobEvent> events = history.of(handle, job.id());
    List<Stretch> stretches = Stretches.of(spec, events);
    if (stretches.isEmpty()) {
      return List.of();
    }
    Instant from = stretches.get(0).from();
    return WaitHistory.of(
        stretches, waits.between(handle, job.shape(), from, now, MOST_SPANS), now);
  }

  private static MillraceException unknown(long id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_JOB,
        "no job " + id + "; ended jobs are deleted after their retention, see 'millrace job list'");
  }
}
