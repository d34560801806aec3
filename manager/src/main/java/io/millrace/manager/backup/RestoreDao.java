package io.millrace.manager.backup;

import io.millrace.api.Json;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.session.SlotTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** Changes what was loaded from a backup, so that nothing of the time after it is current. */
final class RestoreDao {
  private RestoreDao() {}

  /**
   * A job that a node was running or starting when the backup was taken.
   *
   * @param id its number
   * @param kind what created it
   * @param node the node's name
   * @param attempt the attempt's number
   * @param spec what runs
   * @param restarts whether it is always started again
   */
  record RunningJob(
      long id, JobKind kind, String node, int attempt, JobSpec spec, boolean restarts) {}

  /**
   * An identity of a node that was withdrawn.
   *
   * @param id the node's
   * @param name that it had
   * @param role of the node
   * @param madeBy who created its join token
   * @param joinedAt when it joined
   * @param withdrawnAt when it was withdrawn
   * @param withdrawnBy who withdrew it
   */
  record Withdrawal(
      String id,
      String name,
      String role,
      String madeBy,
      Instant joinedAt,
      Instant withdrawnAt,
      String withdrawnBy) {}

  /** The withdrawn identities of the database that is replaced. */
  static List<Withdrawal> withdrawals(Handle handle) {
    return handle
        .createQuery(
            """
            select id, former_name, role, made_by, joined_at, withdrawn_at, withdrawn_by
            from node_identity
            where name is null
            """)
        .map(
            (row, context) ->
                new Withdrawal(
                    row.getString("id"),
                    row.getString("former_name"),
                    row.getString("role"),
                    row.getString("made_by"),
                    instant(row, "joined_at"),
                    instant(row, "withdrawn_at"),
                    row.getString("withdrawn_by")))
        .list();
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }

  /** Keeps an identity withdrawn, whether the backup knows it as valid or not at all. */
  static void keep(Handle handle, Withdrawal withdrawal) {
    handle
        .createUpdate(
            """
            insert into node_identity
              (id, name, former_name, role, made_by, joined_at, withdrawn_at, withdrawn_by)
            values (:id, null, :name, :role, :madeBy, :joinedAt, :withdrawnAt, :withdrawnBy)
            on duplicate key update
              name = null, withdrawn_at = :withdrawnAt, withdrawn_by = :withdrawnBy
            """)
        .bind("id", withdrawal.id())
        .bind("name", withdrawal.name())
        .bind("role", withdrawal.role())
        .bind("madeBy", withdrawal.madeBy())
        .bind("joinedAt", withdrawal.joinedAt())
        .bind("withdrawnAt", withdrawal.withdrawnAt())
        .bind("withdrawnBy", withdrawal.withdrawnBy())
        .execute();
  }

  /** A central manager that has renewed a claim and not let it expire; empty for none. */
  static Optional<String> holder(Handle handle, Instant now) {
    return handle
        .createQuery("select claimant from claim where expires_at > :now order by resource limit 1")
        .bind("now", now)
        .mapTo(String.class)
        .findFirst();
  }

  /** The highest term of a claim; 0 for none. */
  static long lastTerm(Handle handle) {
    return handle.createQuery("select coalesce(max(term), 0) from claim").mapTo(Long.class).one();
  }

  /** The highest version of weights that any queue ever had; 0 for none. */
  static long lastWeights(Handle handle) {
    return handle
        .createQuery(
            """
            select coalesce(max(version), 0)
            from (
                select version from queue_weight
                union all
                select version from weight_history
            ) v
            """)
        .mapTo(Long.class)
        .one();
  }

  /** The highest revision of a partition group; 0 for none. */
  static long lastRevision(Handle handle) {
    return handle
        .createQuery("select coalesce(max(revision), 0) from partition_group")
        .mapTo(Long.class)
        .one();
  }

  /** The highest number of an attempt; 0 for none. */
  static int lastAttempt(Handle handle) {
    return handle
        .createQuery("select coalesce(max(attempt_number), 0) from job")
        .mapTo(Integer.class)
        .one();
  }

  /** Raises the terms of claims above the last one and lets them expire. */
  static void raiseClaims(Handle handle, long last, long by, Instant now) {
    handle
        .createUpdate(
            """
            update claim
            set term = greatest(term, :last) + :by, claimant = 'restored', expires_at = :now
            """)
        .bind("last", last)
        .bind("by", by)
        .bind("now", now)
        .execute();
  }

  /**
   * Raises the versions of weights above the last one, with those of the slots that belong to them,
   * and the epochs of slots above all that nodes can have seen.
   */
  static void raiseWeights(Handle handle, long last, long by) {
    raiseSlots(handle, last, by);
    handle
        .createUpdate("update queue_weight set version = greatest(version, :last) + :by")
        .bind("last", last)
        .bind("by", by)
        .execute();
  }

  private static void raiseSlots(Handle handle, long last, long by) {
    handle
        .createUpdate(
            """
            update queue_slot
            set version = greatest(version, :last) + :by
            where exists (
                select 1
                from queue_weight w
                where w.queue = queue_slot.queue and w.version = queue_slot.version)
            """)
        .bind("last", last)
        .bind("by", by)
        .execute();
    List<Map.Entry<String, SlotTable>> tables =
        handle
            .createQuery("select queue, slots from queue_slot")
            .map(
                (RowView row) ->
                    Map.entry(
                        row.getColumn("queue", String.class),
                        Json.read(row.getColumn("slots", String.class), SlotTable.class)))
            .list();
    for (Map.Entry<String, SlotTable> table : tables) {
      handle
          .createUpdate("update queue_slot set slots = :slots where queue = :queue")
          .bind("slots", Json.write(table.getValue().raised(by)))
          .bind("queue", table.getKey())
          .execute();
    }
  }

  /**
   * Raises the revisions of partition groups, from which their members get their terms, above the
   * last one.
   */
  static void raiseGroups(Handle handle, long last, long by) {
    handle
        .createUpdate("update partition_group set revision = greatest(revision, :last) + :by")
        .bind("last", last)
        .bind("by", by)
        .execute();
  }

  /**
   * Lets all execution nodes register again: only then a node ends attempts that are not current
   * before its single instances get more time.
   */
  static void retireExecutionNodes(Handle handle, Instant now) {
    handle
        .createUpdate(
            """
            update node
            set standing = 'RETIRED', retired_at = :now
            where kind = 'EXECUTION' and standing = 'EMPLOYED'
            """)
        .bind("now", now)
        .execute();
  }

  /**
   * Forgets where nodes were: the cluster of the backup may still be running there, also with the
   * same keys. Every report and registration of a node contains its address. The last report of a
   * queue node is kept, because it tells what the node holds; that of a load balancer is not.
   */
  static void forgetAddresses(Handle handle) {
    handle.createUpdate("update node set address = ''").execute();
    handle.createUpdate("update node set report = null where kind = 'BALANCER'").execute();
  }

  /** Gives no jobs to the execution nodes of the backup until an operator undrains them. */
  static void drainExecutionNodes(Handle handle, String reason) {
    handle
        .createUpdate(
            """
            update node
            set duty = 'DRAINING', duty_until = null, duty_reason = :reason
            where kind = 'EXECUTION'
            """)
        .bind("reason", reason)
        .execute();
  }

  /** Lets single instances and jobs of lanes that wait wait at least until then. */
  static void holdBack(Handle handle, Instant until) {
    handle
        .createUpdate(
            """
            update job_ready
            set ready_at = :until
            where ready_at < :until
              and exists (select 1 from job j where j.id = job_ready.job_id
                and j.kind <> 'MANAGER' and (j.single_name is not null or j.lane is not null))
            """)
        .bind("until", until)
        .execute();
  }

  /** The jobs of people, tasks and queues that had a node, by number. */
  static List<RunningJob> running(Handle handle, int limit) {
    return handle
        .createQuery(
            """
            select j.id, j.kind, j.node_name, b.attempt_number, j.spec, j.restarts
            from booking b
            join job j on j.id = b.job_id
            where j.kind <> 'MANAGER'
            order by b.job_id
            limit :limit
            """)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new RunningJob(
                    row.getLong("id"),
                    JobKind.valueOf(row.getString("kind")),
                    row.getString("node_name"),
                    row.getInt("attempt_number"),
                    Json.read(row.getString("spec"), JobSpec.class),
                    row.getBoolean("restarts")))
        .list();
  }

  /** How many jobs of people, tasks and queues had not ended, by state. */
  static Map<String, Long> unfinished(Handle handle) {
    Map<String, Long> states = new LinkedHashMap<>();
    handle
        .createQuery(
            """
            select state, count(*) as jobs
            from job
            where ended_at is null and kind <> 'MANAGER'
            group by state
            order by state
            """)
        .map((row, context) -> Map.entry(row.getString("state"), row.getLong("jobs")))
        .forEach(entry -> states.put(entry.getKey(), entry.getValue()));
    return states;
  }

  /** Tasks with a planned time that has passed, except for paused ones. */
  static List<String> dueTasks(Handle handle, Instant now, int limit) {
    return handle
        .createQuery(
            """
            select task
            from task_schedule
            where next_at <= :now and not (paused and (paused_until is null or paused_until > :now))
            order by task
            limit :limit
            """)
        .bind("now", now)
        .bind("limit", limit)
        .mapTo(String.class)
        .list();
  }

  /** The ids of execution and queue nodes whose identities are valid, by name. */
  static Map<String, String> nodeIds(Handle handle) {
    Map<String, String> ids = new LinkedHashMap<>();
    handle
        .createQuery(
            """
            select name, id
            from node
            where not exists (
                select 1 from node_identity i where i.id = node.id and i.name is null)
            order by name
            """)
        .map((row, context) -> Map.entry(row.getString("name"), row.getString("id")))
        .forEach(entry -> ids.put(entry.getKey(), entry.getValue()));
    return ids;
  }
}
