package io.millrace.manager.node;

import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;

/** Attempts whose processes must never overlap with those of the next one. Stateless. */
public final class ExclusiveDao {
  /**
   * One that has not ended.
   *
   * @param attempt which
   * @param node where it was placed
   * @param failover how long it may run without word from a central manager; null for its node's
   *     lease
   * @param offered whether its node was ever offered it; nothing runs of one that was not
   * @param missingAt since when its node, which should hold it, says that it does not; null if it
   *     never said so
   */
  public record Exclusive(
      AttemptId attempt, UUID node, Duration failover, boolean offered, Instant missingAt) {}

  private record Booked(JobSpec spec, Exclusive exclusive) {}

  /** Those of a node. */
  public List<Exclusive> of(Handle handle, UUID node) {
    return handle
        .createQuery(
            """
            select b.job_id, b.attempt_number, b.node_id, b.offered, b.missing_at, j.spec
            from booking b
            join job j on j.id = b.job_id
            where b.node_id = :node and (j.single_name is not null or j.lane is not null)
            order by b.job_id
            """)
        .bind("node", node.toString())
        .map(ExclusiveDao::booked)
        .stream()
        .filter(booked -> booked.spec().exclusive())
        .map(Booked::exclusive)
        .toList();
  }

  /**
   * Which of the node's attempts are exclusive and were offered to it: a process of one may run
   * there although the node does not list it.
   */
  public Set<AttemptId> offered(Handle handle, UUID node, Collection<AttemptId> attempts) {
    if (attempts.isEmpty()) {
      return Set.of();
    }
    return of(handle, node).stream()
        .filter(Exclusive::offered)
        .map(Exclusive::attempt)
        .filter(attempts::contains)
        .collect(Collectors.toSet());
  }

  /** Those that are missing, of all nodes. */
  public List<Exclusive> missing(Handle handle) {
    return handle
        .createQuery(
            """
            select b.job_id, b.attempt_number, b.node_id, b.offered, b.missing_at, j.spec
            from booking b
            join job j on j.id = b.job_id
            where b.missing_at > :everything
            order by b.job_id
            """)
        // A range, because H2 finds nothing by an index that is only said not to be null.
        .bind("everything", Instant.EPOCH)
        .map(ExclusiveDao::booked)
        .map(Booked::exclusive)
        .list();
  }

  private static Booked booked(ResultSet row, StatementContext context) throws SQLException {
    JobSpec spec = Json.read(row.getString("spec"), JobSpec.class);
    return new Booked(
        spec,
        new Exclusive(
            new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
            UUID.fromString(row.getString("node_id")),
            spec.failover(),
            row.getBoolean("offered"),
            NodeColumns.instant(row, "missing_at")));
  }
}
