package io.millrace.manager.insight;

import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code shape_wait}. Stateless. */
public final class ShapeWaitDao {
  private static final int LONGEST = 1000;

  /**
   * A time during which the jobs of a shape waited for one reason.
   *
   * @param id id of the row
   * @param shape the shape
   * @param reason the reason
   * @param from its start
   * @param until its end; null if it continues
   */
  public record Span(long id, long shape, WaitReason reason, Instant from, Instant until) {
    public boolean open() {
      return until == null;
    }
  }

  /**
   * The code by which a reason is recorded: central managers of the version before read no others.
   */
  static WaitCode stored(WaitCode code) {
    return code == WaitCode.NO_USER ? WaitCode.NO_MATCH : code;
  }

  /** Spans of the pool that continue or ended since that time, oldest first. */
  public List<Span> recent(Handle handle, String pool, Instant since) {
    return handle
        .createQuery(
            """
            select *
            from shape_wait
            where pool = :pool and ended_at is null
            union all
            select *
            from shape_wait
            where pool = :pool and ended_at >= :since
            order by id
            """)
        .bind("pool", pool)
        .bind("since", since)
        .map(ShapeWaitDao::span)
        .list();
  }

  /** Starts spans. */
  public void begin(Handle handle, String pool, Map<Long, WaitReason> reasons, Instant now) {
    if (reasons.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into shape_wait (shape_id, pool, code, words, began_at)
            values (:shape, :pool, :code, :words, :now)
            """);
    reasons.forEach(
        (shape, reason) ->
            batch
                .bind("shape", shape)
                .bind("pool", pool)
                .bind("code", stored(reason.code()).name())
                .bind("words", shortened(reason.words()))
                .bind("now", now)
                .add());
    batch.execute();
  }

  /** Ends spans that continue. */
  public void end(Handle handle, Collection<Long> ids, Instant now) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate(
              """
              update shape_wait
              set ended_at = :now
              where id in (<ids>) and ended_at is null
              """)
          .bind("now", now)
          .bindList("ids", List.copyOf(ids))
          .execute();
    }
  }

  /** Continues spans that had ended. */
  public void resume(Handle handle, Collection<Long> ids) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate("update shape_wait set ended_at = null where id in (<ids>)")
          .bindList("ids", List.copyOf(ids))
          .execute();
    }
  }

  /** Why the shape waits now, as recorded by the dispatch. */
  public Optional<WaitReason> current(Handle handle, long shape) {
    return handle
        .createQuery(
            """
            select *
            from shape_wait
            where shape_id = :shape and ended_at is null
            order by id desc
            limit 1
            """)
        .bind("shape", shape)
        .map(ShapeWaitDao::span)
        .findFirst()
        .map(Span::reason);
  }

  /** Why the shape waited between two times, oldest first; the latest spans if there are more. */
  public List<Span> between(Handle handle, long shape, Instant from, Instant until, int limit) {
    return handle
        .createQuery(
            """
            select *
            from (
                select *
                from shape_wait
                where shape_id = :shape and (ended_at is null or ended_at > :from)
                    and began_at < :until
                order by id desc
                limit :limit) latest
            order by id
            """)
        .bind("shape", shape)
        .bind("from", from)
        .bind("until", until)
        .bind("limit", limit)
        .map(ShapeWaitDao::span)
        .list();
  }

  /** Whether a job of the shape waits that is due. */
  public boolean waits(Handle handle, String pool, long shape, Instant now) {
    return handle
        .createQuery(
            """
            select 1
            from job_ready
            where pool = :pool and shape_id = :shape and ready_at <= :now
            limit 1
            """)
        .bind("pool", pool)
        .bind("shape", shape)
        .bind("now", now)
        .mapTo(Integer.class)
        .findFirst()
        .isPresent();
  }

  /** Ends spans of shapes without waiting jobs. */
  public int endForgotten(Handle handle, Instant now) {
    return handle
        .createUpdate(
            """
            update shape_wait
            set ended_at = :now
            where ended_at is null and not exists (
                select 1
                from job_ready r
                where r.pool = shape_wait.pool and r.shape_id = shape_wait.shape_id)
            """)
        .bind("now", now)
        .execute();
  }

  /** Deletes spans that ended before that time; returns how many. */
  public int deleteEnded(Handle handle, Instant before, int limit) {
    List<Long> old =
        handle
            .createQuery("select id from shape_wait where ended_at < :before limit :limit")
            .bind("before", before)
            .bind("limit", limit)
            .mapTo(Long.class)
            .list();
    if (old.isEmpty()) {
      return 0;
    }
    return handle
        .createUpdate("delete from shape_wait where id in (<old>)")
        .bindList("old", old)
        .execute();
  }

  private static Span span(RowView row) {
    return new Span(
        row.getColumn("id", Long.class),
        row.getColumn("shape_id", Long.class),
        new WaitReason(row.getColumn("code", WaitCode.class), row.getColumn("words", String.class)),
        row.getColumn("began_at", Instant.class),
        row.getColumn("ended_at", Instant.class));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }
}
