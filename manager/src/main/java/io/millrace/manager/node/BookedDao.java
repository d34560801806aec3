package io.millrace.manager.node;

import io.millrace.api.job.AttemptId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What the attempts that have not ended occupy on their nodes. Stateless. */
public final class BookedDao {
  /**
   * What is booked on one node.
   *
   * @param attempts oldest job first
   * @param cpuMillis thousandths of processors
   */
  public record Booked(
      List<AttemptId> attempts,
      int slots,
      long cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources) {
    /** Nothing. */
    public static final Booked NOTHING = new Booked(List.of(), 0, 0, 0, Map.of());

    Booked and(Booked other) {
      List<AttemptId> all = new ArrayList<>(attempts);
      all.addAll(other.attempts);
      Map<String, Integer> amounts = new HashMap<>(resources);
      other.resources.forEach((name, amount) -> amounts.merge(name, amount, Integer::sum));
      return new Booked(
          all,
          slots + other.slots,
          cpuMillis + other.cpuMillis,
          memoryBytes + other.memoryBytes,
          amounts);
    }
  }

  private record OnNode(UUID node, Booked booked) {}

  /** What is booked, by node; nodes with nothing are left out. */
  public Map<UUID, Booked> byNode(Handle handle) {
    Map<UUID, Booked> all = new HashMap<>();
    handle
        .createQuery(
            """
            select node_id, job_id, attempt_number, slots, cpu_millis, memory_bytes, resources
            from booking
            order by job_id
            """)
        .map((row, context) -> new OnNode(UUID.fromString(row.getString("node_id")), booked(row)))
        .forEach(one -> all.merge(one.node(), one.booked(), Booked::and));
    return all;
  }

  private static Booked booked(ResultSet row) throws SQLException {
    return new Booked(
        List.of(new AttemptId(row.getLong("job_id"), row.getInt("attempt_number"))),
        row.getInt("slots"),
        row.getLong("cpu_millis"),
        row.getLong("memory_bytes"),
        NodeColumns.amounts(row.getString("resources")));
  }
}
