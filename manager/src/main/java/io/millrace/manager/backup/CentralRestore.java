package io.millrace.manager.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.FailoverTime;
import io.millrace.manager.backup.CentralCopy.Header;
import io.millrace.manager.backup.Interruptions.InterruptedJob;
import io.millrace.manager.backup.RestoreDao.Withdrawal;
import io.millrace.manager.job.RestorationDao;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NewNodeDrainDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.TableLoad;
import io.millrace.platform.database.TableRows;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Fills a central database from a copy, while no central manager uses it. All or nothing: it is one
 * transaction. Afterwards everything that servers, programs and nodes of the time after the backup
 * still send is refused, because numbers, terms and versions begin above those of that time. That
 * time may itself have begun with a restoration, even of the same backup: each one begins higher
 * than what the replaced database has reached. One thread; blocks on the database.
 */
public final class CentralRestore {
  /** More than any term or version rises between a backup and its restoration. */
  private static final long TERMS = 1_000_000;

  /**
   * Numbers of jobs, runs, notifications and other rows that are left out, because they may have
   * been given out meanwhile: more than a cluster gives out between a backup and its restoration,
   * and so few that JSON can express the numbers after a million restorations.
   */
  private static final long ID_GAP = 1_000_000_000;

  /** More than a job is attempted between a backup and its restoration. */
  private static final int ATTEMPTS = 100_000;

  private static final int MAX_LISTED = 1_000;

  private static final String DRAINED = "restored with --drained";

  private final DatabaseSettings settings;
  private final Heartbeat heartbeat;

  /**
   * A restoration.
   *
   * @param settings the database, which is created if it does not exist
   * @param heartbeat of the cluster's nodes, which determines how long single instances may run
   *     after their last contact
   */
  public CentralRestore(DatabaseSettings settings, Heartbeat heartbeat) {
    this.settings = settings;
    this.heartbeat = heartbeat;
  }

  /** Opens the copy; called twice. */
  public interface Source {
    InputStream open() throws IOException;
  }

  /**
   * How to restore.
   *
   * @param backup the backup's id
   * @param overwrite whether to replace what the database contains
   * @param hold how long exclusive jobs wait; null for the longest time for which processes of the
   *     time before may still be running
   * @param drained whether all execution nodes are drained, those of the backup and those that
   *     register afterwards
   */
  public record RestoreOptions(String backup, boolean overwrite, Duration hold, boolean drained) {}

  /**
   * What was restored.
   *
   * @param takenAt the moment of the backup
   * @param rows in all tables
   * @param unfinished jobs that had not ended then, by state; those of them that have ended since
   *     run again
   * @param running those that had a node, the first {@value #MAX_LISTED}
   * @param dueTasks tasks whose planned times have passed since and that are not paused, the first
   *     {@value #MAX_LISTED}
   * @param holdUntil until when single instances and jobs of lanes wait
   * @param firstNewJob the lowest number of a new job
   * @param nodes ids of nodes, by name
   * @param withdrawals identities of nodes that the replaced database knew as withdrawn, and that
   *     stay so
   */
  public record Restored(
      Instant takenAt,
      long rows,
      Map<String, Long> unfinished,
      List<InterruptedJob> running,
      List<String> dueTasks,
      Instant holdUntil,
      long firstNewJob,
      Map<String, String> nodes,
      int withdrawals) {}

  /**
   * What a replaced database has reached: all of it may still be on its way.
   *
   * @param nextIds the next generated id by table
   * @param attempt the highest number of an attempt
   * @param term the highest of a claim
   * @param weights the highest version of weights
   * @param revision the highest of a partition group
   * @param restorations that it knows of
   */
  private record Reached(
      Map<String, Long> nextIds,
      int attempt,
      long term,
      long weights,
      long revision,
      List<Restoration> restorations) {
    /** Of tables that may be of an earlier version, and are empty in a new database. */
    static Reached of(TableLoad load) {
      Handle handle = load.handle();
      List<Restoration> restorations =
          load.has("restoration") ? new RestorationDao().all(handle) : List.of();
      return new Reached(
          load.nextIds(CopiedTables.ALL),
          restorations.stream()
              .mapToInt(Restoration::attemptFloor)
              .reduce(RestoreDao.lastAttempt(handle), Math::max),
          RestoreDao.lastTerm(handle),
          RestoreDao.lastWeights(handle),
          load.has("partition_group") ? RestoreDao.lastRevision(handle) : 0,
          restorations);
    }
  }

  /** The figures of a copy that must be known before it is loaded. Not thread-safe. */
  private static final class Highest implements TableRows {
    private final Map<String, Long> ids = new HashMap<>();
    private String table = "";
    private int id;
    private int attempt;
    private int failover;
    private int firstElement;
    private int elements;
    private long attempts;
    private long longestFailover;

    @Override
    public void table(String name, List<String> columns) {
      table = name;
      id = columns.indexOf("id");
      attempt =
          switch (name) {
            case "job" -> columns.indexOf("attempt_number");
            case "restoration" -> columns.indexOf("attempt_floor");
            default -> -1;
          };
      failover = name.equals("job") ? columns.indexOf("failover_millis") : -1;
      firstElement = name.equals("element_ids") ? columns.indexOf("first_id") : -1;
      elements = columns.indexOf("elements");
    }

    @Override
    public void row(List<Object> values) {
      if (id >= 0 && values.get(id) instanceof Long number) {
        ids.merge(table, number, Math::max);
      }
      if (firstElement >= 0
          && values.get(firstElement) instanceof Long first
          && values.get(elements) instanceof Long count) {
        // The jobs of elements that have succeeded have no rows.
        ids.merge("job", first + count - 1, Math::max);
      }
      if (attempt >= 0 && values.get(attempt) instanceof Long number) {
        attempts = Math.max(attempts, number);
      }
      if (failover >= 0 && values.get(failover) instanceof Long millis) {
        longestFailover = Math.max(longestFailover, millis);
      }
    }

    long lastJob() {
      return ids.getOrDefault("job", 0L);
    }

    /** The next id of each table that generates them, a gap above all that were given out. */
    Map<String, Long> next(Header header, Reached replaced) {
      Map<String, Long> next = new LinkedHashMap<>();
      replaced
          .nextIds()
          .forEach(
              (name, reached) -> {
                long copied =
                    Math.max(
                        ids.getOrDefault(name, 0L) + 1, header.nextIds().getOrDefault(name, 1L));
                next.put(name, Math.max(reached, copied) + ID_GAP);
              });
      return next;
    }

    int attemptFloor(Reached replaced) {
      long last = Math.max(attempts, replaced.attempt());
      return Math.toIntExact((last / ATTEMPTS + 1) * ATTEMPTS);
    }
  }

  /**
   * Refuses a database that is in use, or that is not empty and is not to be overwritten, before
   * anything else is restored. Creates the database if there is none.
   *
   * @throws MillraceException CONFLICT
   */
  public void requireFree(boolean overwrite) throws IOException {
    Map<String, String> none = new LinkedHashMap<>();
    CopiedTables.MODULES.forEach(module -> none.put(module, "1"));
    try (Database database = Database.openAt(settings, none)) {
      requireUnused(database);
      database.load(
          Map.of(),
          load -> {
            requireEmpty(load, overwrite);
            return null;
          });
    }
  }

  /**
   * Restores the database.
   *
   * @throws MillraceException INVALID_REQUEST if the copy is broken, CONFIGURATION if it is of a
   *     later version, CONFLICT if the database is in use, or not empty and not to be overwritten;
   *     nothing is changed then
   */
  public Restored run(Source source, RestoreOptions options) throws IOException {
    Highest highest = new Highest();
    Header header;
    try (InputStream in = source.open()) {
      header = CentralCopy.read(in, highest);
    }
    Map<String, String> versions = new LinkedHashMap<>();
    for (String module : CopiedTables.MODULES) {
      versions.put(module, header.versions().get(module));
    }
    try (Database database = Database.openAt(settings, versions)) {
      requireUnused(database);
      // No central manager uses it, so it stays as it is until it is replaced.
      Reached replaced =
          database.load(
              Map.of(),
              load -> {
                requireEmpty(load, options.overwrite());
                return Reached.of(load);
              });
      Map<String, Long> nextIds = highest.next(header, replaced);
      Loading loading = new Loading(source, header, highest, replaced, nextIds.get("job"));
      Restored restored = database.load(nextIds, load -> load(database, load, loading, options));
      database.force();
      return restored;
    }
  }

  private static void requireUnused(Database database) {
    Instant now = database.now();
    database
        .read(handle -> RestoreDao.holder(handle, now))
        .ifPresent(
            holder -> {
              throw new MillraceException(
                  ErrorCode.CONFLICT,
                  "central manager %s uses this database or did so within the last minutes; stop all central managers, and try again after their claims have expired"
                      .formatted(holder));
            });
  }

  /**
   * Whether the database contains nothing that a restoration would replace.
   *
   * @throws MillraceException CONFLICT if it does and is not to be overwritten
   */
  private static void requireEmpty(TableLoad load, boolean overwrite) {
    for (String table : List.of("job", "definition", "task_schedule", "node")) {
      if (!load.isEmpty(table) && !overwrite) {
        throw new MillraceException(
            ErrorCode.CONFLICT,
            "the database is not empty (table %s has rows); restore into an empty one, or replace everything in it with --overwrite"
                .formatted(table));
      }
    }
  }

  private static void clear(TableLoad load) {
    CopiedTables.ALL.forEach(load::clear);
    CopiedTables.LEFT_OUT.forEach(load::clear);
  }

  /** A withdrawal is for ever: the backup may be from before it. */
  private static List<Withdrawal> withdrawals(TableLoad load) {
    return load.has("node_identity") ? RestoreDao.withdrawals(load.handle()) : List.of();
  }

  /** What is loaded, and what it begins above. */
  private record Loading(
      Source source, Header header, Highest highest, Reached replaced, long firstNewJob) {}

  private Restored load(Database database, TableLoad load, Loading loading, RestoreOptions options)
      throws IOException {
    List<Withdrawal> withdrawals = withdrawals(load);
    Highest highest = loading.highest();
    Reached replaced = loading.replaced();
    clear(load);
    try (InputStream in = loading.source().open()) {
      CentralCopy.read(in, load);
    }
    Handle handle = load.handle();
    withdrawals.forEach(one -> RestoreDao.keep(handle, one));
    RestorationDao restorations = new RestorationDao();
    List<Restoration> copied = restorations.all(handle);
    replaced.restorations().stream()
        .filter(one -> !copied.contains(one))
        .forEach(one -> restorations.insert(handle, one));
    Instant now = new DatabaseTime(database.dialect()).now(handle);
    Duration hold = options.hold() == null ? hold(highest) : options.hold();
    Instant holdUntil = now.plus(hold);
    Interruptions interruptions =
        new Interruptions(heartbeat, options.drained(), hold.compareTo(Duration.ZERO) > 0);
    RestoreDao.raiseClaims(handle, replaced.term(), TERMS, now);
    RestoreDao.raiseWeights(handle, replaced.weights(), TERMS);
    RestoreDao.raiseGroups(handle, replaced.revision(), TERMS);
    RestoreDao.retireExecutionNodes(handle, now);
    RestoreDao.forgetAddresses(handle);
    if (options.drained()) {
      RestoreDao.drainExecutionNodes(handle, DRAINED);
      new NewNodeDrainDao().insert(handle, DRAINED, now);
    }
    RestoreDao.holdBack(handle, holdUntil);
    restorations.insert(
        handle,
        new Restoration(
            options.backup(),
            loading.header().at(),
            now,
            highest.lastJob(),
            highest.attemptFloor(replaced),
            holdUntil));
    return new Restored(
        loading.header().at(),
        load.rows(),
        RestoreDao.unfinished(handle),
        RestoreDao.running(handle, MAX_LISTED).stream().map(interruptions::of).toList(),
        RestoreDao.dueTasks(handle, now, MAX_LISTED),
        holdUntil,
        loading.firstNewJob(),
        RestoreDao.nodeIds(handle),
        withdrawals.size());
  }

  /** The longest time for which a process may run after the last answer of a central manager. */
  private Duration hold(Highest highest) {
    Duration failover = Duration.ofMillis(highest.longestFailover);
    return FailoverTime.of(failover, heartbeat.lease()).plus(heartbeat.killTime());
  }
}
