package io.millrace.manager.job;

import io.millrace.manager.placement.ShapeDao;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What attempts that have not ended have booked, as placement counts it. Stateless. */
public final class BookedCapacityDao {
  /**
   * Attempts of one node that ask for the same consumables.
   *
   * @param node the node
   * @param attempts how many
   * @param programs those of them that take no slots
   * @param unstarted those of these that have not started
   * @param slots all together
   * @param cpuMillis all together
   * @param memoryBytes all together
   * @param resources each
   * @param licences each
   * @param lasting whether their jobs are always started again
   */
  public record Booked(
      UUID node,
      int attempts,
      int programs,
      int unstarted,
      int slots,
      long cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources,
      Map<String, Integer> licences,
      boolean lasting) {}

  /** What is booked on all nodes, alike attempts of a node together. */
  public List<Booked> booked(Handle handle) {
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
                new Booked(
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
}
