package io.millrace.manager.node.store;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Attempts whose processes must never overlap with those of the next one. Stateless. */
public final class ExclusiveStore {
  /**
   * One that has not ended.
   *
   * @param attempt which
   * @param failover how long it may run without word from a central manager; null for its node's
   *     lease
   */
  public record Exclusive(AttemptId attempt, Duration failover) {}

  private record Booked(AttemptId attempt, JobSpec spec) {}

  /** Those of a node. */
  public List<Exclusive> of(Handle handle, UUID node) {
    return handle
        .createQuery(
            "select b.job_id, b.attempt_number, j.spec from booking b join job j on j.id = b.job_id"
                + " where b.node_id = :node and (j.single_name is not null or j.lane is not null)"
                + " order by b.job_id")
        .bind("node", node.toString())
        .map(
            (row, context) ->
                new Booked(
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
                    Json.read(row.getString("spec"), JobSpec.class)))
        .stream()
        .filter(booked -> booked.spec().exclusive())
        .map(booked -> new Exclusive(booked.attempt(), booked.spec().failover()))
        .toList();
  }
}
