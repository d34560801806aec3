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
import io.millrace.manager.job.ArrayDao;
import io.millrace.manager.job.ArrayRow;
import io.millrace.manager.job.HistoryDao;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.placement.ShapeDao;
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
  private final JobReadDao jobs = new JobReadDao();
  private final HistoryDao history = new HistoryDao();
  private final ArrayDao arrays = new ArrayDao();
  private final WaitFactsDao facts = new WaitFactsDao();
  private final ShapeWaitDao waits = new ShapeWaitDao();
  private final Blockers blockers = new Blockers();
  private final PlacementReasons placement;

  public Explanations(Database database, PoolReader pools, ShapeDao shapes, Claims claims) {
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
