package io.millrace.manager.node.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.json.Json;
import io.millrace.api.node.NodeStanding;
import io.millrace.manager.node.NodeKind;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;

/** The table {@code node}. Stateless; works in its caller's transaction. */
public final class NodeStore {
  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  private static final TypeReference<Map<String, String>> PAIRS = new TypeReference<>() {};

  /** Locks a node's row. */
  public Optional<NodeRow> lock(Handle handle, UUID id) {
    return handle
        .createQuery("select * from node where id = :id for update")
        .bind("id", id.toString())
        .map(NodeStore::row)
        .findOne();
  }

  /** Locks the row of whoever has the name. */
  public Optional<NodeRow> lockByName(Handle handle, String name) {
    return handle
        .createQuery("select * from node where name = :name for update")
        .bind("name", name)
        .map(NodeStore::row)
        .findOne();
  }

  public Optional<NodeRow> find(Handle handle, UUID id) {
    return handle
        .createQuery("select * from node where id = :id")
        .bind("id", id.toString())
        .map(NodeStore::row)
        .findOne();
  }

  /** Nodes of a kind, employed or retired, by name. */
  public List<NodeRow> list(Handle handle, NodeKind kind) {
    return handle
        .createQuery("select * from node where kind = :kind order by name")
        .bind("kind", kind.name())
        .map(NodeStore::row)
        .list();
  }

  /** Where the nodes of a kind answer, by name. */
  public Map<String, URI> addresses(Handle handle, NodeKind kind) {
    return handle
        .createQuery("select name, address from node where kind = :kind")
        .bind("kind", kind.name())
        .map(
            (row, context) ->
                Map.entry(row.getString("name"), URI.create(row.getString("address"))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Locks the employed execution nodes, by id, so that their capacity is booked by one only. */
  public List<NodeRow> lockEmployed(Handle handle) {
    return handle
        .createQuery(
            "select * from node where kind = 'EXECUTION' and standing = 'EMPLOYED' order by id for"
                + " update")
        .map(NodeStore::row)
        .list();
  }

  /** Employed nodes whose lease is over. */
  public List<UUID> silent(Handle handle, Instant now) {
    return handle
        .createQuery(
            "select id from node where standing = 'EMPLOYED' and lease_until < :now order by id")
        .bind("now", now)
        .mapTo(String.class)
        .map(UUID::fromString)
        .list();
  }

  public void insert(Handle handle, NodeRow node) {
    write(
        handle,
        "insert into node (id, name, kind, address, standing, heard_at, lease_until, report, slots,"
            + " accepting, pools, attributes) values (:id, :name, :kind, :address, :standing,"
            + " :heardAt, :leaseUntil, :report, :slots, :accepting, :pools, :attributes)",
        node);
  }

  /** Replaces a locked row, as its node is heard of; what operators want of it stays. */
  public void update(Handle handle, NodeRow node) {
    write(
        handle,
        "update node set name = :name, kind = :kind, address = :address, standing = :standing,"
            + " heard_at = :heardAt, lease_until = :leaseUntil, report = :report, slots = :slots,"
            + " accepting = :accepting, pools = :pools, attributes = :attributes, lost_at = null"
            + " where id = :id",
        node);
  }

  /** Renews the lease of an employed node; false when it is unknown or retired. */
  public boolean renew(Handle handle, UUID id, boolean accepting, Instant now, Instant leaseUntil) {
    return handle
            .createUpdate(
                "update node set heard_at = :now, lease_until = :until, accepting = :accepting"
                    + " where id = :id and standing = 'EMPLOYED'")
            .bind("now", now)
            .bind("until", leaseUntil)
            .bind("accepting", accepting)
            .bind("id", id.toString())
            .execute()
        == 1;
  }

  public boolean retire(Handle handle, UUID id) {
    return handle
            .createUpdate(
                "update node set standing = 'RETIRED' where id = :id and standing = 'EMPLOYED'")
            .bind("id", id.toString())
            .execute()
        == 1;
  }

  public void delete(Handle handle, UUID id) {
    handle.createUpdate("delete from node where id = :id").bind("id", id.toString()).execute();
  }

  private static void write(Handle handle, String sql, NodeRow node) {
    handle
        .createUpdate(sql)
        .bind("id", node.id().toString())
        .bind("name", node.name())
        .bind("kind", node.kind().name())
        .bind("address", node.address().toString())
        .bind("standing", node.standing().name())
        .bind("heardAt", node.heardAt())
        .bind("leaseUntil", node.leaseUntil())
        .bind("report", node.report())
        .bind("slots", node.slots())
        .bind("accepting", node.accepting())
        .bind("pools", Json.write(node.pools()))
        .bind("attributes", Json.write(node.attributes()))
        .execute();
  }

  static NodeRow row(ResultSet row, StatementContext context) throws SQLException {
    return new NodeRow(
        UUID.fromString(row.getString("id")),
        row.getString("name"),
        NodeKind.valueOf(row.getString("kind")),
        URI.create(row.getString("address")),
        NodeStanding.valueOf(row.getString("standing")),
        instant(row, "heard_at"),
        instant(row, "lease_until"),
        row.getString("report"),
        row.getInt("slots"),
        row.getBoolean("accepting"),
        read(row.getString("pools"), TEXTS),
        read(row.getString("attributes"), PAIRS));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return Json.mapper().readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a column that Millrace wrote is not readable: " + json, e);
    }
  }
}
