package io.millrace.manager.node;

import io.millrace.api.Json;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.node.ClockWatch.NodeClock;
import io.millrace.platform.database.Dialect;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/**
 * The tables {@code node}, {@code node_lock} and {@code node_orders}. Stateless; runs in the
 * caller's transaction.
 *
 * <p>A transaction that books capacity of an execution node, or changes what its bookings depend on
 * (standing, capacity, pools), locks its row of {@code node_lock}; one that hands out or withdraws
 * its attempts locks its row of {@code node_orders}; in this order, and before any other row of the
 * node. A heartbeat writes only the row of {@code node} and locks neither: it must succeed while a
 * transaction that books or hands out is frozen.
 */
public final class NodeDao {
  /** Locks a node's row, its bookings and its orders. */
  public Optional<NodeRow> lock(Handle handle, UUID id) {
    lockWork(handle, id);
    return handle
        .createQuery("select * from node where id = :id for update")
        .bind("id", id.toString())
        .map(NodeColumns::row)
        .findOne();
  }

  /** Locks a node's bookings and its orders, but not its row: heartbeats do not wait. */
  public void lockWork(Handle handle, UUID id) {
    lockBookings(handle, List.of(id));
    handle
        .createQuery("select node_id from node_orders where node_id = :id for update")
        .bind("id", id.toString())
        .mapTo(String.class)
        .findOne();
  }

  /**
   * Locks a node's orders unless they are locked already; never waits.
   *
   * @return the newest of its requests that was given orders; empty if another transaction holds
   *     the lock, or the node is unknown
   */
  public Optional<RequestNumber> lockOrdersIfFree(Handle handle, UUID id) {
    return handle
        .createQuery(
            """
            select incarnation, request_sequence as sequence
            from node_orders
            where node_id = :id
            for update skip locked
            """)
        .bind("id", id.toString())
        .map(ConstructorMapper.of(RequestNumber.class))
        .findOne();
  }

  /** The newest request that was given orders; none for nodes other than execution nodes. */
  public RequestNumber ordered(Handle handle, UUID id) {
    return handle
        .createQuery(
            """
            select incarnation, request_sequence as sequence
            from node_orders
            where node_id = :id
            """)
        .bind("id", id.toString())
        .map(ConstructorMapper.of(RequestNumber.class))
        .findOne()
        .orElse(RequestNumber.NONE);
  }

  /** Records the newest request that was given orders, under their lock. */
  public void gaveOrders(Handle handle, UUID id, RequestNumber request) {
    handle
        .createUpdate(
            """
            update node_orders
            set incarnation = :incarnation, request_sequence = :sequence
            where node_id = :id
            """)
        .bind("incarnation", request.incarnation())
        .bind("sequence", request.sequence())
        .bind("id", id.toString())
        .execute();
  }

  /** Locks the row of the node with that name, its bookings and its orders. */
  public Optional<NodeRow> lockByName(Handle handle, String name) {
    List<UUID> holder =
        handle
            .createQuery("select id from node where name = :name")
            .bind("name", name)
            .mapTo(String.class)
            .map(UUID::fromString)
            .list();
    holder.forEach(id -> lockWork(handle, id));
    return handle
        .createQuery("select * from node where name = :name for update")
        .bind("name", name)
        .map(NodeColumns::row)
        .findOne();
  }

  public Optional<NodeRow> find(Handle handle, UUID id) {
    return handle
        .createQuery("select * from node where id = :id")
        .bind("id", id.toString())
        .map(NodeColumns::row)
        .findOne();
  }

  /** Nodes of a kind, active or lost, by name. */
  public List<NodeRow> list(Handle handle, NodeKind kind) {
    return handle
        .createQuery("select * from node where kind = :kind order by name")
        .bind("kind", kind.name())
        .map(NodeColumns::row)
        .list();
  }

  /** Nodes of every kind, active or lost, by name. */
  public List<NodeRow> list(Handle handle) {
    return handle.createQuery("select * from node order by name").map(NodeColumns::row).list();
  }

  /** The addresses of the nodes of a kind, by name, without those that have none. */
  public Map<String, URI> addresses(Handle handle, NodeKind kind) {
    return handle
        .createQuery("select name, address from node where kind = :kind and address <> ''")
        .bind("kind", kind.name())
        .map(
            (row, context) ->
                Map.entry(row.getString("name"), URI.create(row.getString("address"))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The clocks that active execution nodes last reported. */
  public List<NodeClock> clocks(Handle handle) {
    return handle
        .createQuery(
            """
            select name, heard_at, clock_offset_millis as offset_millis
            from node
            where kind = 'EXECUTION' and standing = 'EMPLOYED'
                and clock_offset_millis is not null
            """)
        .map(ConstructorMapper.of(NodeClock.class))
        .list();
  }

  /** Active execution nodes, by id. */
  public List<NodeRow> employed(Handle handle) {
    return handle
        .createQuery(
            """
            select *
            from node
            where kind = 'EXECUTION' and standing = 'EMPLOYED'
            order by id
            """)
        .map(NodeColumns::row)
        .list();
  }

  /**
   * Locks the bookings of execution nodes, by id, so that only one transaction books their
   * capacity.
   *
   * @return the nodes that exist
   */
  public Set<UUID> lockBookings(Handle handle, Collection<UUID> nodes) {
    if (nodes.isEmpty()) {
      return Set.of();
    }
    return handle
        .createQuery(
            """
            select node_id
            from node_lock
            where node_id in (<nodes>)
            order by node_id
            for update
            """)
        .bindList("nodes", nodes.stream().map(UUID::toString).toList())
        .mapTo(String.class)
        .map(UUID::fromString)
        .collect(Collectors.toSet());
  }

  public void insert(Handle handle, NodeRow node) {
    write(
        handle,
        """
        insert into node (id, name, kind, address, standing, heard_at, lease_until, report,
            slots, cpus, memory_bytes, resources, only_asked, accepting, pools, attributes,
            version, incarnation, request_sequence)
        values (:id, :name, :kind, :address, :standing, :heardAt, :leaseUntil, :report,
            :slots, :cpus, :memory, :resources, :onlyAsked, :accepting, :pools, :attributes,
            :version, :incarnation, :sequence)
        """,
        node);
    if (node.kind() == NodeKind.EXECUTION) {
      for (String insert :
          List.of(
              "insert into node_lock (node_id) values (:id)",
              "insert into node_orders (node_id) values (:id)")) {
        handle.createUpdate(insert).bind("id", node.id().toString()).execute();
      }
    }
  }

  /** Replaces a locked row with what the node reports; the orders of operators are kept. */
  public void update(Handle handle, NodeRow node) {
    write(
        handle,
        """
        update node
        set name = :name, kind = :kind, address = :address, standing = :standing,
            heard_at = :heardAt, lease_until = :leaseUntil, report = :report,
            slots = :slots, cpus = :cpus, memory_bytes = :memory, resources = :resources,
            only_asked = :onlyAsked, accepting = :accepting, pools = :pools,
            attributes = :attributes, version = :version, incarnation = :incarnation,
            request_sequence = :sequence, lost_at = null, retired_at = null
        where id = :id
        """,
        node);
  }

  /**
   * Renews the lease of an active node, by the database's clock, for a poll of its registered
   * incarnation; false if the node is unknown or lost, or the poll is not newer than the last
   * accepted request. One statement, so that it needs no transaction in which its process could
   * freeze with the row locked.
   *
   * @param clockOffsetMillis its clock minus the database's; null if it did not report it
   */
  public boolean renew(
      Handle handle,
      Dialect dialect,
      UUID id,
      RequestNumber request,
      boolean accepting,
      Long clockOffsetMillis,
      Duration lease) {
    return handle
            .createUpdate(
                """
                update node
                set heard_at = %s, lease_until = %s, accepting = :accepting,
                    clock_offset_millis = :offset, request_sequence = :sequence
                where id = :id and standing = 'EMPLOYED' and incarnation = :incarnation
                    and request_sequence < :sequence
                """
                    .formatted(dialect.now(), dialect.nowPlusMicros(":lease")))
            .bind("incarnation", request.incarnation())
            .bind("sequence", request.sequence())
            .bind("lease", TimeUnit.NANOSECONDS.toMicros(lease.toNanos()))
            .bind("accepting", accepting)
            .bind("offset", clockOffsetMillis)
            .bind("id", id.toString())
            .execute()
        == 1;
  }

  /** Records the newest accepted request, in a locked row. */
  public void took(Handle handle, UUID id, RequestNumber request) {
    handle
        .createUpdate(
            """
            update node
            set incarnation = :incarnation, request_sequence = :sequence
            where id = :id
            """)
        .bind("incarnation", request.incarnation())
        .bind("sequence", request.sequence())
        .bind("id", id.toString())
        .execute();
  }

  /** Records that a node has left in order: lost, but without a report, in a locked row. */
  public void left(Handle handle, UUID id, Instant now) {
    handle
        .createUpdate(
            """
            update node
            set standing = 'RETIRED', retired_at = :now, report = null
            where id = :id
            """)
        .bind("now", now)
        .bind("id", id.toString())
        .execute();
  }

  /** Keeps new attempts from a node, in a locked row, until its next poll lifts that. */
  public void takesNothingYet(Handle handle, UUID id) {
    handle
        .createUpdate("update node set accepting = false where id = :id")
        .bind("id", id.toString())
        .execute();
  }

  /** Marks an active node as lost; false if it is not active. */
  public boolean retire(Handle handle, UUID id, Instant now) {
    return handle
            .createUpdate(
                """
                update node
                set standing = 'RETIRED', retired_at = :now
                where id = :id and standing = 'EMPLOYED'
                """)
            .bind("now", now)
            .bind("id", id.toString())
            .execute()
        == 1;
  }

  public void delete(Handle handle, UUID id) {
    for (String delete :
        List.of(
            "delete from node where id = :id",
            "delete from node_lock where node_id = :id",
            "delete from node_orders where node_id = :id")) {
      handle.createUpdate(delete).bind("id", id.toString()).execute();
    }
  }

  /** Writes everything that a node reports about itself, but not the orders of operators. */
  private static void write(Handle handle, String sql, NodeRow node) {
    NodeCapacity capacity = node.capacity();
    handle
        .createUpdate(sql)
        .bind("id", node.id().toString())
        .bind("name", node.name())
        .bind("kind", node.kind().name())
        .bind("address", node.address().toString())
        .bind("standing", node.lost() ? NodeColumns.RETIRED : NodeColumns.EMPLOYED)
        .bind("heardAt", node.heardAt())
        .bind("leaseUntil", node.leaseUntil())
        .bind("report", node.report())
        .bind("slots", capacity.slots())
        .bind("cpus", capacity.cpus())
        .bind("memory", capacity.memoryBytes())
        .bind("resources", Json.write(capacity.resources()))
        .bind("onlyAsked", capacity.onlyAsked())
        .bind("accepting", node.accepting())
        .bind("pools", Json.write(node.pools()))
        .bind("attributes", Json.write(node.attributes()))
        .bind("version", node.version())
        .bind("incarnation", node.request().incarnation())
        .bind("sequence", node.request().sequence())
        .execute();
  }
}
