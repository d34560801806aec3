package io.millrace.manager.pacing;

import io.millrace.api.pacing.PacingOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * Temporary overrides of pacing; expired rows stay as the record of who set what. Stateless; runs
 * in the caller's transaction.
 */
public final class OverrideDao {
  private static final int CHUNK = 1_000;

  private OverrideDao() {}

  /** The overrides in force at a time, by queue. */
  public static Map<String, PacingOverride> inForce(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            select *
            from pacing_override o
            where o.until_at > :now and o.ended_at is null
                and o.id = (select max(l.id) from pacing_override l where l.queue = o.queue)
            """)
        .bind("now", now)
        .map(OverrideDao::row)
        .stream()
        .collect(Collectors.toMap(PacingOverride::queue, row -> row));
  }

  /** The override of a queue in force at a time. */
  public static Optional<PacingOverride> inForce(Handle handle, String queue, Instant now) {
    return handle
        .createQuery(
            """
            select *
            from pacing_override o
            where o.until_at > :now and o.ended_at is null
                and o.id = (select max(l.id) from pacing_override l where l.queue = o.queue)
                and o.queue = :queue
            """)
        .bind("queue", queue)
        .bind("now", now)
        .map(OverrideDao::row)
        .findOne();
  }

  /** A queue's latest overrides, newest first, including ended ones. */
  public static List<PacingOverride> newest(Handle handle, String queue, int limit) {
    return handle
        .createQuery(
            """
            select *
            from pacing_override
            where queue = :queue
            order by id desc
            limit :limit
            """)
        .bind("queue", queue)
        .bind("limit", limit)
        .map(OverrideDao::row)
        .list();
  }

  public static void add(Handle handle, PacingOverride override) {
    handle
        .createUpdate(
            """
            insert into pacing_override (queue, max_workers, wait_target_millis, until_at,
                said_by, said_at, reason)
            values (:queue, :maxWorkers, :waitTarget, :until, :by, :at, :reason)
            """)
        .bind("queue", override.queue())
        .bind("maxWorkers", override.maxWorkers())
        .bind("waitTarget", override.waitTarget() == null ? null : override.waitTarget().toMillis())
        .bind("until", override.until())
        .bind("by", override.by())
        .bind("at", override.at())
        .bind("reason", override.reason())
        .execute();
  }

  /** Ends the override in force; false when there is none. */
  public static boolean end(Handle handle, String queue, String by, Instant now) {
    return handle
            .createUpdate(
                """
                update pacing_override
                set ended_by = :by, ended_at = :now
                where queue = :queue and until_at > :now and ended_at is null
                """)
            .bind("queue", queue)
            .bind("by", by)
            .bind("now", now)
            .execute()
        > 0;
  }

  /** Deletes some overrides that ended before a time; whether more may be left. */
  public static boolean forgetSome(Handle handle, Instant before) {
    List<Long> oldest =
        handle
            .createQuery(
                """
                select id
                from pacing_override
                where until_at < :before
                order by until_at
                limit :limit
                """)
            .bind("before", before)
            .bind("limit", CHUNK)
            .mapTo(Long.class)
            .list();
    if (!oldest.isEmpty()) {
      handle
          .createUpdate("delete from pacing_override where id in (<ids>)")
          .bindList("ids", oldest)
          .execute();
    }
    return oldest.size() == CHUNK;
  }

  private static PacingOverride row(RowView row) {
    Long waitTarget = row.getColumn("wait_target_millis", Long.class);
    return new PacingOverride(
        row.getColumn("queue", String.class),
        row.getColumn("max_workers", Integer.class),
        waitTarget == null ? null : Duration.ofMillis(waitTarget),
        row.getColumn("until_at", Instant.class),
        row.getColumn("said_by", String.class),
        row.getColumn("said_at", Instant.class),
        row.getColumn("reason", String.class),
        row.getColumn("ended_by", String.class),
        row.getColumn("ended_at", Instant.class),
        null,
        null);
  }
}
