package io.millrace.manager.job;

import io.millrace.manager.job.UsageProfile.Success;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code usage_profile}. Stateless. */
public final class UsageProfileDao {
  /** Locks the profiles of definitions, by name; those without one get an empty one. */
  public Map<String, UsageProfile> lock(
      Handle handle, Collection<String> definitions, Instant now) {
    SortedSet<String> wanted = new TreeSet<>(definitions);
    Map<String, UsageProfile> locked = lockExisting(handle, wanted);
    if (locked.size() < wanted.size()) {
      SortedSet<String> missing = new TreeSet<>(wanted);
      missing.removeAll(locked.keySet());
      insert(handle, missing, now);
      locked.putAll(lockExisting(handle, missing));
    }
    return locked;
  }

  private static Map<String, UsageProfile> lockExisting(
      Handle handle, SortedSet<String> definitions) {
    Map<String, UsageProfile> locked = new TreeMap<>();
    handle
        .createQuery(
            """
            select *
            from usage_profile
            where definition in (<definitions>)
            order by definition
            for update
            """)
        .bindList("definitions", List.copyOf(definitions))
        .map((row, context) -> Map.entry(row.getString("definition"), profile(row)))
        .forEach(entry -> locked.put(entry.getKey(), entry.getValue()));
    return locked;
  }

  private static void insert(Handle handle, SortedSet<String> definitions, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert ignore into usage_profile (definition, memory_runs, cpu_runs, cpu_millis,
                cpu_most, memory_bytes, memory_high, memory_most, changed_at)
            values (:definition, 0, 0, 0, 0, 0, 0, 0, :now)
            """);
    definitions.forEach(name -> batch.bind("definition", name).bind("now", now).add());
    batch.execute();
  }

  /** Replaces locked profiles. */
  public void write(Handle handle, Map<String, UsageProfile> profiles, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update usage_profile
            set memory_runs = :memoryRuns, cpu_runs = :cpuRuns, cpu_millis = :cpuMillis,
                cpu_most = :cpuMost, memory_bytes = :memoryBytes, memory_high = :memoryHigh,
                memory_most = :memoryMost, success_node = :successNode, success_at = :successAt,
                other_node = :otherNode, other_at = :otherAt, changed_at = :now
            where definition = :definition
            """);
    profiles.forEach(
        (definition, profile) -> {
          Success success = profile.success();
          Success elsewhere = profile.elsewhere();
          batch
              .bind("definition", definition)
              .bind("memoryRuns", profile.memoryRuns())
              .bind("cpuRuns", profile.cpuRuns())
              .bind("cpuMillis", profile.cpuMillis())
              .bind("cpuMost", profile.cpuMost())
              .bind("memoryBytes", profile.memoryBytes())
              .bind("memoryHigh", profile.memoryHigh())
              .bind("memoryMost", profile.memoryMost())
              .bind("successNode", success == null ? null : success.node())
              .bind("successAt", success == null ? null : success.at())
              .bind("otherNode", elsewhere == null ? null : elsewhere.node())
              .bind("otherAt", elsewhere == null ? null : elsewhere.at())
              .bind("now", now)
              .add();
        });
    batch.execute();
  }

  /** The profiles of definitions; those without one are left out. */
  public Map<String, UsageProfile> find(Handle handle, Collection<String> definitions) {
    if (definitions.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery("select * from usage_profile where definition in (<definitions>)")
        .bindList("definitions", List.copyOf(definitions))
        .map((row, context) -> Map.entry(row.getString("definition"), profile(row)))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Deletes profiles of definitions that have not run since; returns how many. */
  public int deleteUnused(Handle handle, Instant since, int limit) {
    List<String> unused =
        handle
            .createQuery(
                """
                select definition
                from usage_profile
                where changed_at < :since
                limit :limit
                """)
            .bind("since", since)
            .bind("limit", limit)
            .mapTo(String.class)
            .list();
    if (unused.isEmpty()) {
      return 0;
    }
    return handle
        .createUpdate(
            """
            delete from usage_profile
            where definition in (<unused>) and changed_at < :since
            """)
        .bindList("unused", unused)
        .bind("since", since)
        .execute();
  }

  private static UsageProfile profile(ResultSet row) throws SQLException {
    return new UsageProfile(
        row.getLong("memory_runs"),
        row.getLong("cpu_runs"),
        row.getDouble("cpu_millis"),
        row.getDouble("cpu_most"),
        row.getDouble("memory_bytes"),
        row.getDouble("memory_high"),
        row.getLong("memory_most"),
        success(row, "success_node", "success_at"),
        success(row, "other_node", "other_at"));
  }

  private static Success success(ResultSet row, String node, String at) throws SQLException {
    Instant time = JobColumns.instant(row, at);
    return time == null ? null : new Success(row.getString(node), time);
  }
}
