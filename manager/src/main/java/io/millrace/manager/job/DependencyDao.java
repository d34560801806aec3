package io.millrace.manager.job;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.Dependency.End;
import io.millrace.manager.job.JobColumns.Chunks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The tables {@code job_dependency}, exactly the dependencies that are not met yet, and {@code
 * cancelled_dependent}, the jobs that were cancelled because one could no longer be met. Stateless.
 */
public final class DependencyDao {
  private static final int CHUNK = 1000;

  /**
   * One dependency.
   *
   * @param job the waiting job
   * @param on what it depends on
   */
  public record Edge(long job, Dependency on) {}

  public void insert(Handle handle, List<Edge> edges) {
    if (edges.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into job_dependency (job_id, on_job_id, wanted)
            values (:id, :on, :wanted)
            """);
    for (Edge edge : edges) {
      batch
          .bind("id", edge.job())
          .bind("on", edge.on().job())
          .bind("wanted", edge.on().end().name())
          .add();
    }
    batch.execute();
  }

  /** The dependencies on any of these jobs. */
  public List<Edge> waitingFor(Handle handle, Collection<Long> ids) {
    List<Edge> edges = new ArrayList<>();
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      edges.addAll(
          handle
              .createQuery(
                  """
                  select job_id, on_job_id, wanted
                  from job_dependency
                  where on_job_id in (<ids>)
                  """)
              .bindList("ids", chunk)
              .map(
                  (row, context) ->
                      new Edge(
                          row.getLong("job_id"),
                          new Dependency(
                              row.getLong("on_job_id"), End.valueOf(row.getString("wanted")))))
              .list());
    }
    return edges;
  }

  /** The unmet dependencies of a job, oldest first. */
  public List<Dependency> unmet(Handle handle, long job, int limit) {
    return handle
        .createQuery(
            """
            select on_job_id, wanted
            from job_dependency
            where job_id = :id
            order by on_job_id
            limit :limit
            """)
        .bind("id", job)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new Dependency(row.getLong("on_job_id"), End.valueOf(row.getString("wanted"))))
        .list();
  }

  /** Deletes all dependencies on these jobs. */
  public void deleteOn(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      handle
          .createUpdate("delete from job_dependency where on_job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }

  /** Deletes all dependencies of these jobs. */
  public void deleteOf(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      handle
          .createUpdate("delete from job_dependency where job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }

  /** Records that the jobs of these dependencies are cancelled because of them. */
  public void recordCancelled(Handle handle, Collection<Edge> edges) {
    if (edges.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into cancelled_dependent (on_job_id, job_id)
            values (:on, :id)
            on duplicate key update job_id = job_id
            """);
    for (Edge edge : edges) {
      batch.bind("on", edge.on().job()).bind("id", edge.job()).add();
    }
    batch.execute();
  }

  /** The jobs that were cancelled because of these, as far as they still are. */
  public List<Long> cancelledBecauseOf(Handle handle, Collection<Long> ids) {
    List<Long> found = new ArrayList<>();
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      found.addAll(
          handle
              .createQuery(
                  """
                  select distinct j.id
                  from cancelled_dependent d
                  join job j on j.id = d.job_id
                  where d.on_job_id in (<ids>) and j.state = 'CANCELLED'
                  """)
              .bindList("ids", chunk)
              .mapTo(Long.class)
              .list());
    }
    return found;
  }

  /** Forgets why these jobs were cancelled: they wait again. */
  public void forgetCancelled(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      handle
          .createUpdate("delete from cancelled_dependent where job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }
}
