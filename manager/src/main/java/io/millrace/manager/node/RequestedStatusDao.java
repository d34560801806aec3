package io.millrace.manager.node;

import io.millrace.api.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** The statuses that operators requested for nodes, in the table {@code node}. Stateless. */
public final class RequestedStatusDao {
  public void write(Handle handle, UUID id, RequestedStatus requested) {
    handle
        .createUpdate(
            """
            update node
            set duty = :duty, duty_until = :until, duty_reason = :reason
            where id = :id
            """)
        .bind("duty", requested.status().name())
        .bind("until", requested.until())
        .bind("reason", requested.reason())
        .bind("id", id.toString())
        .execute();
  }

  /** Draining execution nodes whose deadline has passed. */
  public List<UUID> drained(Handle handle, Instant now) {
    return handle
        .createQuery(
            """
            select id
            from node
            where kind = 'EXECUTION' and duty = 'DRAINING' and duty_until <= :now
            order by id
            """)
        .bind("now", now)
        .mapTo(String.class)
        .map(UUID::fromString)
        .list();
  }

  /** Draining execution nodes, with a deadline or without. */
  public List<UUID> draining(Handle handle) {
    return handle
        .createQuery(
            """
            select id
            from node
            where kind = 'EXECUTION' and duty = 'DRAINING'
            order by id
            """)
        .mapTo(String.class)
        .map(UUID::fromString)
        .list();
  }

  /** Locks all nodes, by id. */
  public void lock(Handle handle) {
    handle.createQuery("select id from node order by id for update").mapTo(String.class).list();
  }

  /** The ends of all requested statuses that have an end. */
  public Map<UUID, Instant> ends(Handle handle) {
    return handle
        .createQuery("select id, duty_until from node where duty_until is not null")
        .map(
            (row, context) ->
                Map.entry(
                    UUID.fromString(row.getString("id")), NodeColumns.instant(row, "duty_until")))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Changes the end of a requested status. */
  public void postpone(Handle handle, UUID id, Instant until) {
    handle
        .createUpdate("update node set duty_until = :until where id = :id")
        .bind("until", until)
        .bind("id", id.toString())
        .execute();
  }

  /**
   * The status that operators requested for a node. Pure.
   *
   * @param status as requested
   * @param until when a maintenance ends, or a drain stops running attempts; null for never
   * @param reason human-readable reason; null if not given
   */
  record RequestedStatus(NodeStatus status, Instant until, String reason) {
    /** Nothing requested. */
    public static final RequestedStatus NONE = new RequestedStatus(NodeStatus.ACTIVE, null, null);

    /** The status requested at a moment of the database's clock: a maintenance ends by itself. */
    public RequestedStatus at(Instant now) {
      boolean ended = status == NodeStatus.MAINTENANCE && until != null && !until.isAfter(now);
      return ended ? NONE : this;
    }

    /** Whether the node's silence is expected at that moment. */
    public boolean excusesSilence(Instant now) {
      return at(now).status() == NodeStatus.MAINTENANCE;
    }
  }
}
