package io.millrace.manager.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.statement.StatementContext;

/** Maps a {@link NodeRow} to and from its columns. Stateless. */
final class NodeColumns {
  // Of the column "standing", as the statements of NodeDao write them.
  static final String EMPLOYED = "EMPLOYED";
  static final String RETIRED = "RETIRED";

  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
  private static final TypeReference<Map<String, String>> PAIRS = new TypeReference<>() {};
  private static final TypeReference<Map<String, Integer>> AMOUNTS = new TypeReference<>() {};

  private NodeColumns() {}

  static NodeRow row(ResultSet row, StatementContext context) throws SQLException {
    return new NodeRow(
        UUID.fromString(row.getString("id")),
        row.getString("name"),
        NodeKind.valueOf(row.getString("kind")),
        address(row),
        !row.getString("standing").equals(EMPLOYED),
        instant(row, "heard_at"),
        instant(row, "lease_until"),
        row.getString("report"),
        capacity(row),
        row.getBoolean("accepting"),
        read(row.getString("pools"), TEXTS),
        read(row.getString("attributes"), PAIRS),
        row.getString("version"),
        offset(row),
        new RequestedStatus(
            NodeStatus.valueOf(row.getString("duty")),
            instant(row, "duty_until"),
            row.getString("duty_reason")),
        instant(row, "retired_at"),
        new RequestNumber(row.getLong("incarnation"), row.getLong("request_sequence")));
  }

  // Emptied by a restoration.
  private static URI address(ResultSet row) throws SQLException {
    String address = row.getString("address");
    return address.isEmpty() ? null : URI.create(address);
  }

  private static NodeCapacity capacity(ResultSet row) throws SQLException {
    return new NodeCapacity(
        row.getInt("slots"),
        row.getDouble("cpus"),
        row.getLong("memory_bytes"),
        amounts(row.getString("resources")),
        row.getBoolean("only_asked"));
  }

  private static Long offset(ResultSet row) throws SQLException {
    long millis = row.getLong("clock_offset_millis");
    return row.wasNull() ? null : millis;
  }

  /** Amounts by name as stored in a column; empty for none. */
  static Map<String, Integer> amounts(String json) {
    return json.isEmpty() ? Map.of() : read(json, AMOUNTS);
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    LocalDateTime stored = row.getObject(column, LocalDateTime.class);
    return stored == null ? null : stored.toInstant(ZoneOffset.UTC);
  }

  private static <T> T read(String json, TypeReference<T> type) {
    try {
      return Json.mapper().readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored column is not readable: " + json, e);
    }
  }
}
