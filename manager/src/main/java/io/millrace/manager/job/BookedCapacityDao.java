package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.manager.placement.ShapeDao;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What attempts that have not ended have booked on their nodes. Stateless. */
public final class BookedCapacityDao {
  /**
   * What the attempts of one node with the same consumables have booked.
   *
   * @param node the node
   * @param attempts number of attempts
   * @param programs those of them that take no slots
   * @param unstarted programs that have not started
   * @param slots total of all attempts
   * @param cpuMillis total of all attempts
   * @param memoryBytes total of all attempts
   * @param resources of each attempt
   * @param licences of each attempt
   * @param restarting whether their jobs are always restarted
   */
  public record BookedGroup(
      UUID node,
      int attempts,
      int programs,
      int unstarted,
      int slots,
      long cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources,
      Map<String, Integer> licences,
      boolean restarting) {}

  /**
   * What is booked on one node.
   *
   * @param attempts oldest job first
   * @param cpuMillis thousandths of processors
   * @param managers how many of the attempts are queue and task managers
   * @param stoppingManagers how many of the managers were asked to stop
   */
  public record BookedCapacity(
      List<AttemptId> attempts,
      int slots,
      long cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources,
      int managers,
      int stoppingManagers) {
    /** Nothing is booked. */
    public static final BookedCapacity NOTHING =
        new BookedCapacity(List.of(), 0, 0, 0, Map.of(), 0, 0);

    private BookedCapacity plus(BookedCapacity other) {
      List<AttemptId> all = new ArrayList<>(attempts);
      all.addAll(other.attempts);
      Map<String, Integer> amounts = new HashMap<>(resources);
      other.resources.forEach((name, amount) -> amounts.merge(name, amount, Integer::sum));
      return new BookedCapacity(
          all,
          slots + other.slots,
          cpuMillis + other.cpuMillis,
          memoryBytes + other.memoryBytes,
          amounts,
          managers + other.managers,
          stoppingManagers + other.stoppingManagers);
    }
  }

  private record OnNode(UUID node, BookedCapacity booked) {}

  /** What is booked on all nodes, for placement; similar attempts of a node are summed up. */
  public List<BookedGroup> groups(Handle handle) {
    return handle
        .createQuery(
            """
            select node_id, resources, licences, lasting, count(*) as attempts,
                sum(slots) as all_slots, sum(cpu_millis) as all_cpu,
                sum(memory_bytes) as all_memory,
                sum(case when slots = 0 then 1 else 0 end) as programs,
                sum(case when slots = 0 and running = false then 1 else 0 end) as unstarted
            from booking
            group by node_id, resources, licences, lasting
            """)
        .map(
            (row, context) ->
                new BookedGroup(
                    UUID.fromString(row.getString("node_id")),
                    row.getInt("attempts"),
                    row.getInt("programs"),
                    row.getInt("unstarted"),
                    row.getInt("all_slots"),
                    row.getLong("all_cpu"),
                    row.getLong("all_memory"),
                    ShapeDao.amounts(row.getString("resources")),
                    ShapeDao.amounts(row.getString("licences")),
                    row.getBoolean("lasting")))
        .list();
  }

  /** What is booked, by node, for display; nodes with nothing booked are left out. */
  public Map<UUID, BookedCapacity> byNode(Handle handle) {
    Map<UUID, BookedCapacity> all = new HashMap<>();
    handle
        .createQuery(
            """
            select node_id, job_id, attempt_number, slots, cpu_millis, memory_bytes, resources,
                kind, stop_asked
            from booking
            order by job_id
            """)
        .map((row, context) -> new OnNode(UUID.fromString(row.getString("node_id")), booked(row)))
        .forEach(one -> all.merge(one.node(), one.booked(), BookedCapacity::plus));
    return all;
  }

  private static BookedCapacity booked(ResultSet row) throws SQLException {
    int managers = row.getString("kind").equals(JobKind.MANAGER.name()) ? 1 : 0;
    return new BookedCapacity(
        List.of(new AttemptId(row.getLong("job_id"), row.getInt("attempt_number"))),
        row.getInt("slots"),
        row.getLong("cpu_millis"),
        row.getLong("memory_bytes"),
        ShapeDao.amounts(row.getString("resources")),
        managers,
        row.getBoolean("stop_asked") ? managers : 0);
  }
}
