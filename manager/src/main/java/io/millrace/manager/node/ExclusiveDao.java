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

/** Attempts of exclusive jobs ({@link JobSpec#exclusive()}) that have not ended. Stateless. */
public final class ExclusiveDao {
  /**
   * An exclusive attempt that has not ended.
   *
   * @param attempt the attempt
   * @param node the node that it was placed on
   * @param failover how long it may run without contact to a central manager; null for its node's
   *     lease
   * @param offered whether it was ever offered to its node; otherwise it cannot be running
   * @param missingAt since when its node, which should hold it, reports that it does not; null if
   *     it never did
   */
  public record Exclusive(
      AttemptId attempt, UUID node, Duration failover, boolean offered, Instant missingAt) {}

  private record BookedSpec(JobSpec spec, Exclusive exclusive) {}

  /** The exclusive attempts of a node. */
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
        .map(BookedSpec::exclusive)
        .toList();
  }

  /**
   * Those of the attempts that are exclusive and were offered to the node: a process of one may run
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

  /** The missing exclusive attempts of all nodes. */
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
        // A range, because H2 does not use an index for "is not null".
        .bind("everything", Instant.EPOCH)
        .map(ExclusiveDao::booked)
        .map(BookedSpec::exclusive)
        .list();
  }

  private static BookedSpec booked(ResultSet row, StatementContext context) throws SQLException {
    JobSpec spec = Json.read(row.getString("spec"), JobSpec.class);
    return new BookedSpec(
        spec,
        new Exclusive(
            new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
            UUID.fromString(row.getString("node_id")),
            spec.failover(),
            row.getBoolean("offered"),
            NodeColumns.instant(row, "missing_at")));
  }
}
