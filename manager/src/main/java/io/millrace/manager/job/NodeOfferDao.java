package io.millrace.manager.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.manager.job.PoolCapacity.NodeOffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** What execution nodes offer. Stateless. */
public final class NodeOfferDao {
  private static final int MILLIS = 1000;

  /** What nodes could give, as they are now. */
  public PoolCapacity capacity(Handle handle) {
    return new PoolCapacity(all(handle));
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
