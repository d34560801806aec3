package io.millrace.manager.job.store;

import io.millrace.manager.placement.ReadyJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code job_ready}: exactly the waiting jobs, in dispatch order. Stateless. */
public final class ReadyStore {
  /**
   * One row.
   *
   * @param job the job
   * @param readyAt not before; also its age
   */
  public record Ready(JobFacts job, Instant readyAt) {}

  /** New jobs, whose rows hold all that is needed. */
  public void insertNew(Handle handle, Collection<Long> ids) {
    handle
        .createUpdate(
            "insert into job_ready (job_id, pool, dispatch_rank, ready_at, slots, kind, queue,"
                + " segment_node, near_node) select id, pool, -priority, submitted_at, slots,"
                + " kind, queue, segment_node, near_node from job where id in (<ids>)")
        .bindList("ids", List.copyOf(ids))
        .execute();
  }

  public void insert(Handle handle, List<Ready> rows) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            "insert into job_ready (job_id, pool, dispatch_rank, ready_at, slots, kind, queue,"
                + " segment_node, near_node) values (:id, :pool, :dispatchRank, :readyAt, :slots,"
                + " :kind, :queue, :segmentNode, :near)");
    for (Ready row : rows) {
      JobFacts job = row.job();
      batch
          .bind("id", job.id())
          .bind("pool", job.pool())
          .bind("dispatchRank", -job.priority())
          .bind("readyAt", row.readyAt())
          .bind("slots", job.slots())
          .bind("kind", job.kind().name())
          .bind("queue", job.queue())
          .bind("segmentNode", job.segmentNode())
          .bind("near", job.near())
          .add();
    }
    batch.execute();
  }

  public void delete(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return;
    }
    handle
        .createUpdate("delete from job_ready where job_id in (<ids>)")
        .bindList("ids", List.copyOf(ids))
        .execute();
  }

  /** Pools that have a job waiting. */
  public List<String> pools(Handle handle) {
    return handle.createQuery("select distinct pool from job_ready").mapTo(String.class).list();
  }

  /** Jobs that may start now and take at most so many slots, in dispatch order. */
  public List<ReadyJob> due(Handle handle, String pool, int mostSlots, Instant now, int limit) {
    return handle
        .createQuery(
            "select job_id, slots, dispatch_rank, near_node from job_ready where pool = :pool and"
                + " ready_at <= :now and slots <= :slots order by dispatch_rank, ready_at, job_id"
                + " limit :limit")
        .bind("pool", pool)
        .bind("slots", mostSlots)
        .bind("now", now)
        .bind("limit", limit)
        .map((row, context) -> ready(row))
        .list();
  }

  /** Jobs that take more slots than that. */
  public List<ReadyJob> wider(Handle handle, String pool, int slots, int limit) {
    return handle
        .createQuery(
            "select job_id, slots, dispatch_rank, near_node from job_ready where pool = :pool and"
                + " slots > :slots limit :limit")
        .bind("pool", pool)
        .bind("slots", slots)
        .bind("limit", limit)
        .map((row, context) -> ready(row))
        .list();
  }

  private static ReadyJob ready(ResultSet row) throws SQLException {
    return new ReadyJob(
        row.getLong("job_id"),
        row.getInt("slots"),
        -row.getInt("dispatch_rank"),
        row.getString("near_node"));
  }
}
