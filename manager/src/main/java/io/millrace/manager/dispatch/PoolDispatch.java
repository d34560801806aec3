package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.PoolReader.Locked;
import io.millrace.manager.dispatch.PoolReader.PoolSnapshot;
import io.millrace.manager.dispatch.ShapeQueueReader.ShapeQueues;
import io.millrace.manager.job.ArrayExpander;
import io.millrace.manager.job.JobDao;
import io.millrace.manager.job.JobFacts;
import io.millrace.manager.job.PlacementRecorder;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.PlacementPlan;
import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import io.millrace.manager.placement.Placer;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Places waiting jobs of one pool in one transaction: locks the claim and the bookings of nodes and
 * licences, reads a snapshot, decides, and records attempts and bookings. A node may serve several
 * pools, whose claims other central managers may hold; the locks on its bookings and on licences
 * prevent double booking. Thread-safe.
 */
public final class PoolDispatch {
  /**
   * The result of one dispatch of a pool.
   *
   * @param shapes number of shapes with jobs that might have been placed
   * @param placed number of jobs placed
   * @param more whether another dispatch at once is worthwhile
   * @param due time until the next job that is not due yet may start; null for none
   */
  public record Round(int shapes, int placed, boolean more, Duration due) {
    static final Round NOTHING = new Round(0, 0, false, null);
  }

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final ReadyJobDao ready = new ReadyJobDao();
  private final FairShareDao shares = new FairShareDao();
  private final PoolReader reader;
  private final MissingShapes missingShapes;
  private final ArrayExpander arrays;
  private final PlacementRecorder placing;
  private final VerdictSink verdicts;

  public PoolDispatch(
      Database database,
      ClaimDao claims,
      PoolReader reader,
      ShapeDao shapes,
      ArrayExpander arrays,
      PlacementRecorder placing,
      VerdictSink verdicts) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.reader = reader;
    this.missingShapes = new MissingShapes(shapes);
    this.arrays = arrays;
    this.placing = placing;
    this.verdicts = verdicts;
  }

  /** Pools with waiting jobs or arrays, by name, with whether they have arrays to expand. */
  SortedMap<String, Boolean> pools() {
    return database.read(
        handle -> {
          SortedMap<String, Boolean> pools = new TreeMap<>();
          ready.pools(handle).forEach(pool -> pools.put(pool, false));
          arrays.pools(handle).forEach(pool -> pools.put(pool, true));
          return pools;
        });
  }

  /**
   * Places what can be placed; nothing if the claim has been lost. Arrays are expanded in a
   * separate transaction, because it locks jobs of any id.
   *
   * @param expand whether there may be arrays to expand
   */
  public Round run(Claim claim, String pool, boolean expand) {
    int expanded =
        expand
            ? database.transaction(handle -> claims.lock(handle, claim) ? expand(handle, pool) : 0)
            : 0;
    return database.transaction(
        handle -> claims.lock(handle, claim) ? place(handle, pool, expanded > 0) : Round.NOTHING);
  }

  private Integer expand(Handle handle, String pool) {
    return arrays.expand(handle, pool, reader.settings().mostJobs(), time.now(handle));
  }

  private Round place(Handle handle, String pool, boolean expanded) {
    missingShapes.assign(handle, pool);
    Instant begin = time.now(handle);
    ShapeQueues waiting = reader.shapeQueues(handle, pool, begin);
    Locked locked = reader.lock(handle, pool, waiting, begin);
    Instant now = time.now(handle);
    PoolSnapshot snapshot = reader.read(handle, pool, waiting, locked, now);
    PlacementPlan plan = Placer.place(snapshot.snapshot());
    int placed = plan.placements().isEmpty() ? 0 : placing.place(handle, plan.placements(), now);
    shares.charge(handle, pool, plan.charges(), now);
    verdicts.accept(handle, pool, plan.waiting(), now);
    boolean more = placed > 0 && (expanded || placed >= reader.settings().mostJobs());
    return new Round(
        waiting.due().size(),
        placed,
        more,
        snapshot.nextDue() == null ? null : Duration.between(now, snapshot.nextDue()));
  }

  /**
   * Assigns shapes to waiting jobs that have none because a central manager of an older version
   * recorded them. Thread-safe.
   */
  private static final class MissingShapes {
    private static final int MAX = 500;

    private final ReadyJobDao ready = new ReadyJobDao();
    private final JobDao jobs = new JobDao();
    private final ShapeDao shapes;

    MissingShapes(ShapeDao shapes) {
      this.shapes = shapes;
    }

    /** Assigns some of a pool, under its dispatch claim. */
    void assign(Handle handle, String pool) {
      List<Long> ids = ready.shapeless(handle, pool, MAX);
      if (ids.isEmpty()) {
        return;
      }
      Map<Long, Shape> needed = new HashMap<>();
      for (JobFacts job : jobs.lock(handle, ids)) {
        needed.put(job.id(), shape(job));
      }
      Map<Shape, Long> known = shapes.idsOf(handle, needed.values());
      Map<Long, Long> found = new HashMap<>();
      needed.forEach((job, shape) -> found.put(job, known.get(shape)));
      ready.setShapes(handle, found);
    }

    private static Shape shape(JobFacts job) {
      String share = job.queue() == null ? job.share() : "queue:" + job.queue();
      return Shape.ofSlots(job.pool(), share, job.priority(), job.slots());
    }
  }

  /** Receives why the shapes of a pool wait, after each dispatch. Thread-safe. */
  @FunctionalInterface
  public interface VerdictSink {
    /** Ignores everything. */
    VerdictSink NONE = (handle, pool, verdicts, now) -> {};

    /** Called with the result of a dispatch, in its transaction. */
    void accept(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now);
  }
}
