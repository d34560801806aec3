package io.millrace.manager.placement;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.Dialect;
import io.millrace.platform.identity.Sha256;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The table {@code job_shape}. Rows never change, so committed ones are cached in memory; a row is
 * deleted when no job has the shape and its id has not been requested for long. Thread-safe; runs
 * in the caller's transaction.
 */
public final class ShapeDao {
  private static final TypeReference<Map<String, Integer>> AMOUNTS = new TypeReference<>() {};
  private static final int DELETED_AT_ONCE = 100;
  // Far more than a cluster has; beyond it, the cache is cleared.
  private static final int MAX_REMEMBERED = 20_000;

  /** How often the use of a shape is recorded: far more often than unused ones are deleted. */
  static final Duration RECORD_INTERVAL = Duration.ofHours(1);

  private record Known(long id, long recordedNanos) {}

  private final DatabaseTime time;
  private final Clock clock;
  private final Map<Shape, Known> ids = new ConcurrentHashMap<>();
  private final Map<Long, Shape> shapes = new ConcurrentHashMap<>();

  /** Starts with an empty cache. */
  public ShapeDao(Dialect dialect, Clock clock) {
    this.time = new DatabaseTime(dialect);
    this.clock = clock;
  }

  /** The shape's id; inserts it if it is new. */
  public long idOf(Handle handle, Shape shape) {
    return idsOf(handle, List.of(shape)).get(shape);
  }

  /** The ids of all these shapes; inserts those that are new. */
  public Map<Shape, Long> idsOf(Handle handle, Collection<Shape> requested) {
    Map<Shape, Long> found = new HashMap<>();
    // By fingerprint, so that concurrent inserts of the same new shapes lock in the same order.
    Map<String, Shape> unknown = new TreeMap<>();
    for (Shape shape : new HashSet<>(requested)) {
      Known known = ids.get(shape);
      if (known == null || clock.nanoTime() - known.recordedNanos() > RECORD_INTERVAL.toNanos()) {
        unknown.put(fingerprint(shape), shape);
      } else {
        found.put(shape, known.id());
      }
    }
    if (!unknown.isEmpty()) {
      Map<Shape, Long> stored = lookUp(handle, unknown);
      found.putAll(stored);
      remember(handle, stored, true);
    }
    return found;
  }

  /** The shapes of these ids; unknown ids are left out. */
  public Map<Long, Shape> find(Handle handle, Collection<Long> requested) {
    Map<Long, Shape> found = new HashMap<>();
    Set<Long> unknown = new HashSet<>();
    for (Long id : requested) {
      Shape shape = shapes.get(id);
      if (shape == null) {
        unknown.add(id);
      } else {
        found.put(id, shape);
      }
    }
    if (!unknown.isEmpty()) {
      Map<Shape, Long> read = new HashMap<>();
      handle
          .createQuery("select * from job_shape where id in (<ids>)")
          .bindList("ids", List.copyOf(unknown))
          .map((row, context) -> Map.entry(row.getLong("id"), shape(row)))
          .forEach(
              entry -> {
                found.put(entry.getKey(), entry.getValue());
                read.put(entry.getValue(), entry.getKey());
              });
      remember(handle, read, false);
    }
    return found;
  }

  private Map<Shape, Long> lookUp(Handle handle, Map<String, Shape> requested) {
    Instant now = time.now(handle);
    recordUse(handle, requested.keySet(), now);
    Map<String, Long> known = new HashMap<>(select(handle, requested.keySet()));
    Map<String, Shape> missing = new TreeMap<>(requested);
    missing.keySet().removeAll(known.keySet());
    if (!missing.isEmpty()) {
      insert(handle, missing, now);
      known.putAll(select(handle, missing.keySet()));
    }
    Map<Shape, Long> found = new HashMap<>();
    requested.forEach((fingerprint, shape) -> found.put(shape, known.get(fingerprint)));
    return found;
  }

  private static Map<String, Long> select(Handle handle, Collection<String> fingerprints) {
    Map<String, Long> found = new HashMap<>();
    handle
        .createQuery(
            """
            select id, fingerprint
            from job_shape
            where fingerprint in (<fingerprints>)
            """)
        .bindList("fingerprints", List.copyOf(fingerprints))
        .map((row, context) -> Map.entry(row.getString("fingerprint"), row.getLong("id")))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  // Before they are read: what is found then is not deleted, and will not be for long.
  private static void recordUse(Handle handle, Collection<String> fingerprints, Instant now) {
    handle
        .createUpdate(
            """
            update job_shape
            set used_at = :now
            where fingerprint in (<fingerprints>) and used_at < :before
            """)
        .bindList("fingerprints", List.copyOf(fingerprints))
        .bind("now", now)
        .bind("before", now.minus(RECORD_INTERVAL))
        .execute();
  }

  /**
   * Deletes some shapes that no job has and whose ids have not been requested since that time. It
   * must be longer ago than the recording interval plus the longest transaction, because a job with
   * a requested id may be about to be inserted.
   *
   * @return whether there may be more
   */
  public static boolean deleteUnused(Handle handle, Instant before, Instant now) {
    List<Long> old =
        handle
            .createQuery(
                """
                select id
                from job_shape
                where used_at < :before
                order by used_at, id
                limit :limit
                """)
            .bind("before", before)
            .bind("limit", DELETED_AT_ONCE)
            .mapTo(Long.class)
            .list();
    if (old.isEmpty()) {
      return false;
    }
    PreparedBatch delete =
        handle.prepareBatch(
            """
            delete from job_shape
            where id = :id and used_at < :before
                and not exists (select 1 from job j where j.shape_id = job_shape.id)
            """);
    // Shapes that jobs still have are checked again later, so that they do not block others.
    PreparedBatch keep = handle.prepareBatch("update job_shape set used_at = :now where id = :id");
    for (long id : old) {
      delete.bind("id", id).bind("before", before).add();
      keep.bind("id", id).bind("now", now).add();
    }
    delete.execute();
    keep.execute();
    return old.size() == DELETED_AT_ONCE;
  }

  // Waits for a concurrent insert of the same shape, whose row exists afterwards.
  private static void insert(Handle handle, Map<String, Shape> missing, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert ignore into job_shape (fingerprint, pool, share, priority, slots, cpu_millis,
                memory_bytes, resources, licences, requires_words, rank_words, used_at)
            values (:fingerprint, :pool, :share, :priority, :slots, :cpuMillis, :memoryBytes,
                :resources, :licences, :requires, :rank, :now)
            """);
    missing.forEach(
        (fingerprint, shape) ->
            batch
                .bind("fingerprint", fingerprint)
                .bind("pool", shape.pool())
                .bind("share", shape.share())
                .bind("priority", shape.priority())
                .bind("slots", shape.slots())
                .bind("cpuMillis", shape.cpuMillis())
                .bind("memoryBytes", shape.memoryBytes())
                .bind("resources", text(ShapeUser.stored(shape)))
                .bind("licences", text(shape.sortedLicences()))
                .bind("requires", orEmpty(shape.requires()))
                .bind("rank", orEmpty(shape.rank()))
                .bind("now", now)
                .add());
    batch.execute();
  }

  // Only after the commit: a row that was rolled back must not be cached.
  private void remember(Handle handle, Map<Shape, Long> found, boolean recorded) {
    long nanos = clock.nanoTime();
    Runnable fill =
        () -> {
          if (ids.size() > MAX_REMEMBERED) {
            ids.clear();
            shapes.clear();
          }
          found.forEach((shape, id) -> shapes.put(id, shape));
          if (recorded) {
            found.forEach((shape, id) -> ids.put(shape, new Known(id, nanos)));
          }
        };
    if (handle.isInTransaction()) {
      handle.afterCommit(fill);
    } else {
      fill.run();
    }
  }

  static String fingerprint(Shape shape) {
    String text =
        Json.write(
            List.of(
                shape.pool(),
                shape.share(),
                shape.priority(),
                shape.slots(),
                shape.cpuMillis(),
                shape.memoryBytes(),
                ShapeUser.stored(shape),
                shape.sortedLicences(),
                orEmpty(shape.requires()),
                orEmpty(shape.rank())));
    return Sha256.of(text);
  }

  private static Shape shape(ResultSet row) throws SQLException {
    Map<String, Integer> resources = new HashMap<>(amounts(row.getString("resources")));
    ShapeUser user = ShapeUser.takeFrom(resources).orElse(null);
    return new Shape(
        row.getString("pool"),
        row.getString("share"),
        row.getInt("priority"),
        row.getInt("slots"),
        row.getInt("cpu_millis"),
        row.getLong("memory_bytes"),
        resources,
        amounts(row.getString("licences")),
        row.getString("requires_words"),
        row.getString("rank_words"),
        user);
  }

  private static String orEmpty(String expression) {
    return expression == null ? "" : expression;
  }

  /** Amounts as columns hold them; empty for none. */
  public static String text(Map<String, Integer> amounts) {
    return amounts.isEmpty() ? "" : Json.write(amounts);
  }

  /** Amounts as columns hold them; empty for none. */
  public static Map<String, Integer> amounts(String json) {
    if (json.isEmpty()) {
      return Map.of();
    }
    try {
      return Json.mapper().readValue(json, AMOUNTS);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("stored amounts are not readable: " + json, e);
    }
  }
}
