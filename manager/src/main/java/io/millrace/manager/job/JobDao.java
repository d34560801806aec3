package io.millrace.manager.job;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.JobColumns.Chunks;
import io.millrace.manager.job.JobColumns.SpacedList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Locks and changes rows of the table {@code job}. Stateless. */
public final class JobDao {
  private static final int CHUNK = 1000;

  /** Locks jobs by rising id, which is the order of locks everywhere; unknown ones are left out. */
  public List<JobFacts> lock(Handle handle, Collection<Long> ids) {
    List<JobFacts> locked = new ArrayList<>(ids.size());
    for (List<Long> chunk : Chunks.of(new TreeSet<>(ids), CHUNK)) {
      locked.addAll(
          handle
              .createQuery(
                  "select "
                      + JobColumns.FACTS
                      + " from job where id in (<ids>) order by id for update")
              .bindList("ids", chunk)
              .map((row, context) -> JobColumns.facts(row))
              .list());
    }
    return locked;
  }

  /** The same without a lock: what it shows may have changed already. */
  public List<JobFacts> read(Handle handle, Collection<Long> ids) {
    List<JobFacts> found = new ArrayList<>(ids.size());
    for (List<Long> chunk : Chunks.of(new TreeSet<>(ids), CHUNK)) {
      found.addAll(
          handle
              .createQuery("select " + JobColumns.FACTS + " from job where id in (<ids>) order by id")
              .bindList("ids", chunk)
              .map((row, context) -> JobColumns.facts(row))
              .list());
    }
    return found;
  }

  /** Locks one job. */
  public Optional<JobFacts> lock(Handle handle, long id) {
    return lock(handle, List.of(id)).stream().findFirst();
  }

  /** The live job of that single-instance name. */
  public Optional<Long> liveSingle(Handle handle, String single) {
    return handle
        .createQuery("select id from job where single_name = :single")
        .bind("single", single)
        .mapTo(Long.class)
        .findOne();
  }

  /** What was asked for, by job; unknown ones are left out. */
  public Map<Long, JobSpec> specs(Handle handle, Collection<Long> ids) {
    Map<Long, JobSpec> specs = new HashMap<>();
    for (List<Long> chunk : Chunks.of(new TreeSet<>(ids), CHUNK)) {
      handle
          .createQuery("select id, spec from job where id in (<ids>)")
          .bindList("ids", chunk)
          .map((row, context) -> Map.entry(row.getLong("id"), row.getString("spec")))
          .forEach(entry -> specs.put(entry.getKey(), Json.read(entry.getValue(), JobSpec.class)));
    }
    return specs;
  }

  /** Notes that somebody wants placed or running jobs to end. */
  public void askCancel(Handle handle, List<JobFacts> jobs, String reason) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set cancel_reason = :reason
            where id = :id and state = :state and attempt_number = :attempt
            """);
    for (JobFacts job : jobs) {
      batch
          .bind("reason", SpacedList.line(reason))
          .bind("id", job.id())
          .bind("state", job.state().name())
          .bind("attempt", job.attempt())
          .add();
    }
    batch.execute();
  }
}
