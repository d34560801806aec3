package io.millrace.manager.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** What execution nodes offer. Stateless. */
final class NodeOfferDao {
  private static final int MILLIS = 1000;

  /**
   * What one node has for all its jobs.
   *
   * @param name of the node
   * @param pools that it serves
   * @param slots attempts of one slot each at the same time
   * @param cpuMillis thousandths of processors; 0 if they are not booked
   * @param memoryBytes memory; 0 if it is not booked
   * @param resources named consumables
   */
  record NodeOffer(
      String name,
      Set<String> pools,
      int slots,
      int cpuMillis,
      long memoryBytes,
      Map<String, Integer> resources) {
    int cpuLimit() {
      return cpuMillis == 0 ? Integer.MAX_VALUE : cpuMillis;
    }

    long memoryLimit() {
      return memoryBytes == 0 ? Long.MAX_VALUE : memoryBytes;
    }
  }

  /** The offers of all nodes that are not lost. */
  List<NodeOffer> all(Handle handle) {
    return handle
        .createQuery(
            """
            select name, pools, slots, cpus, memory_bytes, resources
            from node
            where kind = 'EXECUTION' and standing = 'EMPLOYED'
            """)
        .map(
            (row, context) ->
                new NodeOffer(
                    row.getString("name"),
                    Set.copyOf(Arrays.asList(Json.read(row.getString("pools"), String[].class))),
                    row.getInt("slots"),
                    (int) Math.round(row.getDouble("cpus") * MILLIS),
                    row.getLong("memory_bytes"),
                    amounts(row.getString("resources"))))
        .list();
  }

  private static Map<String, Integer> amounts(String json) {
    Map<String, Integer> amounts = new HashMap<>();
    Json.read(json, JsonNode.class)
        .properties()
        .forEach(entry -> amounts.put(entry.getKey(), entry.getValue().intValue()));
    return amounts;
  }
}
