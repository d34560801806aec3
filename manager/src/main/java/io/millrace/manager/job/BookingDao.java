package io.millrace.manager.job;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.JobColumns.ColumnText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.StatementContext;

/** The table {@code booking}: exactly the attempts that have not ended. Stateless. */
public final class BookingDao {
  /**
   * An attempt that has not ended.
   *
   * @param attempt the attempt
   * @param running whether its start was reported
   * @param stopRequested whether it has been asked to stop
   * @param offered whether it was ever offered to its node
   * @param missing whether its node, which should hold it, reports that it does not
   */
  public record Booking(
      AttemptId attempt,
      boolean running,
      boolean stopRequested,
      boolean offered,
      boolean missing) {}

  /** A node's attempts that have not ended, oldest job first. */
  public List<Booking> of(Handle handle, UUID node) {
    return handle
        .createQuery(
            """
            select job_id, attempt_number, running, stop_asked, offered, missing_at
            from booking
            where node_id = :node
            order by job_id
            """)
        .bind("node", node.toString())
        .map(BookingDao::booking)
        .list();
  }

  /** The attempts of queue and task managers on a node that have not been asked to stop. */
  public List<Booking> managers(Handle handle, UUID node) {
    return handle
        .createQuery(
            """
            select job_id, attempt_number, running, stop_asked, offered, missing_at
            from booking
            where node_id = :node and kind = 'MANAGER' and stop_asked = false
            order by job_id
            """)
        .bind("node", node.toString())
        .map(BookingDao::booking)
        .list();
  }

  /** Attempts that have not ended, by node. */
  public Map<UUID, List<AttemptId>> attempts(Handle handle) {
    return handle
        .createQuery(
            """
            select node_id, job_id, attempt_number
            from booking
            order by job_id
            """)
        .map(
            (row, context) ->
                Map.entry(
                    UUID.fromString(row.getString("node_id")),
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number"))))
        .collect(groupingBy(Map.Entry::getKey, mapping(Map.Entry::getValue, toList())));
  }

  /** The nodes that have attempts that have not ended. */
  public Set<UUID> booked(Handle handle, Collection<UUID> nodes) {
    if (nodes.isEmpty()) {
      return Set.of();
    }
    return handle
        .createQuery("select distinct node_id from booking where node_id in (<nodes>)")
        .bindList("nodes", nodes.stream().map(UUID::toString).toList())
        .mapTo(String.class)
        .map(UUID::fromString)
        .collect(toSet());
  }

  /** Slots booked, by node. */
  public Map<UUID, Integer> usedSlots(Handle handle) {
    return handle
        .createQuery(
            """
            select node_id, sum(slots) as used
            from booking
            group by node_id
            """)
        .map(
            (row, context) ->
                Map.entry(UUID.fromString(row.getString("node_id")), row.getInt("used")))
        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Records that attempts of the node are about to be offered to it. */
  public void markOffered(Handle handle, UUID node, Collection<AttemptId> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    handle
        .createUpdate(
            """
            update booking
            set offered = true
            where job_id in (<ids>) and node_id = :node and offered = false
            """)
        .bindList("ids", attempts.stream().map(AttemptId::job).toList())
        .bind("node", node.toString())
        .execute();
  }

  /** Records since when attempts of the node are missing there; an earlier time is kept. */
  public void markMissing(Handle handle, UUID node, Collection<AttemptId> attempts, Instant now) {
    if (attempts.isEmpty()) {
      return;
    }
    handle
        .createUpdate(
            """
            update booking
            set missing_at = :now
            where job_id in (<ids>) and node_id = :node and missing_at is null
            """)
        .bind("now", now)
        .bindList("ids", attempts.stream().map(AttemptId::job).toList())
        .bind("node", node.toString())
        .execute();
  }

  /** Records that the node holds attempts. */
  public void markHeld(Handle handle, UUID node, Collection<AttemptId> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    handle
        .createUpdate(
            """
            update booking
            set missing_at = null
            where job_id in (<ids>) and node_id = :node
            """)
        .bindList("ids", attempts.stream().map(AttemptId::job).toList())
        .bind("node", node.toString())
        .execute();
  }

  /** Makes the attempts' nodes stop them, at their next polls. */
  public void requestStop(Handle handle, List<AttemptId> attempts) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update booking
            set stop_asked = true
            where job_id = :id and attempt_number = :attempt
            """);
    attempts.forEach(
        attempt -> batch.bind("id", attempt.job()).bind("attempt", attempt.number()).add());
    batch.execute();
  }

  /**
   * Makes the attempts' node stop them, at its next poll.
   *
   * @param reason human-readable reason, added to the attempts' ends
   */
  public void requestStop(Handle handle, List<Booking> attempts, String reason) {
    if (attempts.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update booking
            set stop_asked = true, stop_reason = :reason
            where job_id = :id and attempt_number = :attempt
            """);
    for (Booking booking : attempts) {
      batch
          .bind("reason", ColumnText.start(reason))
          .bind("id", booking.attempt().job())
          .bind("attempt", booking.attempt().number())
          .add();
    }
    batch.execute();
  }

  /** Why attempts were asked to stop, by job; those without a reason are left out. */
  public Map<Long, String> stopReasons(Handle handle, Collection<Long> jobs) {
    if (jobs.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery(
            """
            select job_id, stop_reason
            from booking
            where job_id in (<ids>) and stop_reason is not null
            """)
        .bindList("ids", jobs)
        .map((row, context) -> Map.entry(row.getLong("job_id"), row.getString("stop_reason")))
        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Booking booking(ResultSet row, StatementContext context) throws SQLException {
    return new Booking(
        new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
        row.getBoolean("running"),
        row.getBoolean("stop_asked"),
        row.getBoolean("offered"),
        row.getObject("missing_at") != null);
  }
}
