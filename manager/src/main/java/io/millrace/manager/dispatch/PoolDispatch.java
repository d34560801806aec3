package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.PoolReader.Locked;
import io.millrace.manager.dispatch.PoolReader.Look;
import io.millrace.manager.dispatch.ShapeQueueReader.Lines;
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
 * Places waiting jobs of one pool in one transaction: claim locked, bookings of nodes and licences
 * locked, snapshot, decision, attempts and bookings recorded. A node may serve several pools, whose
 * claims others may hold; the locks on its bookings and on licences keep two of them from booking
 * the same twice. Thread-safe.
 */
public final class PoolDispatch {
  /**
   * What a look at a pool did.
   *
   * @param placed jobs placed
   * @param more whether another look at once is worth it
   * @param due time until the next job may start that may not start yet; null for none
   */
  public record Round(int placed, boolean more, Duration due) {
    static final Round NOTHING = new Round(0, false, null);
  }

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final ReadyJobDao ready = new ReadyJobDao();
  private final FairShareDao shares = new FairShareDao();
  private final PoolReader reader;
  private final Shapeless shapeless;
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
    this.shapeless = new Shapeless(shapes);
    this.arrays = arrays;
    this.placing = placing;
    this.verdicts = verdicts;
  }

  /** Pools with a waiting job, and whether there are more to be fed to them, by name. */
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
   * Places what can be placed; nothing when the claim is somebody else's by now. Arrays are fed in
   * a transaction of their own, because it locks jobs of any id.
   *
   * @param hungry whether there may be arrays to feed to the pool
   */
  public Round run(Claim claim, String pool, boolean hungry) {
    int fed =
        hungry
            ? database.transaction(handle -> claims.lock(handle, claim) ? feed(handle, pool) : 0)
            : 0;
    return database.transaction(
        handle -> claims.lock(handle, claim) ? place(handle, pool, fed > 0) : Round.NOTHING);
  }

  private Integer feed(Handle handle, String pool) {
    return arrays.expand(handle, pool, reader.settings().mostJobs(), time.now(handle));
  }

  private Round place(Handle handle, String pool, boolean fed) {
    shapeless.adopt(handle, pool);
    Instant begin = time.now(handle);
    Lines waiting = reader.lines(handle, pool, begin);
    Locked locked = reader.lock(handle, pool, waiting, begin);
    Instant now = time.now(handle);
    Look look = reader.look(handle, pool, waiting, locked, now);
    PlacementPlan plan = Placer.place(look.snapshot());
    int placed = plan.placements().isEmpty() ? 0 : placing.place(handle, plan.placements(), now);
    shares.charge(handle, pool, plan.charges(), now);
    verdicts.hear(handle, pool, plan.waiting(), now);
    boolean more = placed > 0 && (fed || placed >= reader.settings().mostJobs());
    return new Round(
        placed, more, look.nextDue() == null ? null : Duration.between(now, look.nextDue()));
  }

  /**
   * Gives shapes to waiting jobs that have none because a central manager of an older version took
   * them. Thread-safe.
   */
  private static final class Shapeless {
    private static final int MOST = 500;

    private final ReadyJobDao ready = new ReadyJobDao();
    private final JobDao jobs = new JobDao();
    private final ShapeDao shapes;

    Shapeless(ShapeDao shapes) {
      this.shapes = shapes;
    }

    /** Some of a pool, under its dispatch claim. */
    void adopt(Handle handle, String pool) {
      List<Long> ids = ready.shapeless(handle, pool, MOST);
      if (ids.isEmpty()) {
        return;
      }
      Map<Long, Shape> wanted = new HashMap<>();
      for (JobFacts job : jobs.lock(handle, ids)) {
        wanted.put(job.id(), shape(job));
      }
      Map<Shape, Long> known = shapes.idsOf(handle, wanted.values());
      Map<Long, Long> found = new HashMap<>();
      wanted.forEach((job, shape) -> found.put(job, known.get(shape)));
      ready.setShapes(handle, found);
    }

    private static Shape shape(JobFacts job) {
      String share = job.queue() == null ? job.share() : "queue:" + job.queue();
      return Shape.ofSlots(job.pool(), share, job.priority(), job.slots());
    }
  }

  /** Hears why the shapes of a pool wait, after each look at them. Thread-safe. */
  @FunctionalInterface
  public interface VerdictSink {
    /** Nobody wants to know. */
    VerdictSink NONE = (handle, pool, verdicts, now) -> {};

    /** Takes what a look at the pool said, in its transaction. */
    void hear(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now);
  }
}
