package io.millrace.bench.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Reads the central database directly, next to its managers. An embedded one must already be open
 * in this process. Thread-safe; blocks on the database.
 */
public final class RecordedJobDao implements AutoCloseable {
  private static final int CONNECTIONS = 2;
  private static final int AT_ONCE = 1_000;

  private final Database database;

  private RecordedJobDao(Database database) {
    this.database = database;
  }

  /** Opens the database of running central managers. */
  public static RecordedJobDao open(DatabaseSettings settings) {
    return new RecordedJobDao(
        Database.open(settings.withPoolSize(CONNECTIONS), List.of("platform", "central")));
  }

  /** Number of these jobs, at most a thousand, that have ended. */
  public int ended(List<Long> ids) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    select count(*) from job where id in (<ids>) and ended_at is not null
                    """)
                .bindList("ids", ids)
                .mapTo(Integer.class)
                .one());
  }

  /** Number of attempts that have not ended. */
  public int live() {
    return database.read(
        handle -> handle.createQuery("select count(*) from booking").mapTo(Integer.class).one());
  }

  /** Number of jobs that are waiting for a node. */
  public long waiting() {
    return database.read(
        handle -> handle.createQuery("select count(*) from job_ready").mapTo(Long.class).one());
  }

  /** The records of these jobs; jobs without a record are omitted. */
  public List<RecordedJob> read(List<Long> ids) {
    List<RecordedJob> found = new ArrayList<>(ids.size());
    for (int from = 0; from < ids.size(); from += AT_ONCE) {
      List<Long> part = ids.subList(from, Math.min(ids.size(), from + AT_ONCE));
      found.addAll(database.read(handle -> read(handle, part)));
    }
    return found;
  }

  private static List<RecordedJob> read(Handle handle, List<Long> ids) {
    Map<Long, Set<JobState>> histories = histories(handle, ids);
    return handle
        .createQuery(
            """
            select j.id, j.state, j.attempt_number, j.node_name, a.state as attempt_state
            from job j
              left join attempt a on a.job_id = j.id and a.attempt_number = j.attempt_number
            where j.id in (<ids>)
            """)
        .bindList("ids", ids)
        .map(
            (row, context) -> {
              String attempt = row.getString("attempt_state");
              long id = row.getLong("id");
              return new RecordedJob(
                  id,
                  JobState.valueOf(row.getString("state")),
                  row.getInt("attempt_number"),
                  row.getString("node_name"),
                  attempt == null ? null : JobState.valueOf(attempt),
                  histories.getOrDefault(id, Set.of()));
            })
        .list();
  }

  private static Map<Long, Set<JobState>> histories(Handle handle, List<Long> ids) {
    Map<Long, Set<JobState>> histories = new HashMap<>();
    handle
        .createQuery("select job_id, state from job_event where job_id in (<ids>)")
        .bindList("ids", ids)
        .map(
            (row, context) ->
                Map.entry(row.getLong("job_id"), JobState.valueOf(row.getString("state"))))
        .forEach(
            line ->
                histories
                    .computeIfAbsent(line.getKey(), id -> EnumSet.noneOf(JobState.class))
                    .add(line.getValue()));
    return histories;
  }

  @Override
  public void close() {
    database.close();
  }

  /**
   * The record of a job in the central database.
   *
   * @param id the job's id
   * @param state current state
   * @param attempt number of the current or last attempt
   * @param node execution node of that attempt; null before the first
   * @param attemptState state in the row of that attempt; null without one
   * @param history the states in its history
   */
  record RecordedJob(
      long id,
      JobState state,
      int attempt,
      String node,
      JobState attemptState,
      Set<JobState> history) {

    /** The last attempt; there must be one. */
    public AttemptId attemptId() {
      return new AttemptId(id, attempt);
    }
  }
}
