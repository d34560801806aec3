package io.millrace.manager.job;

import io.millrace.api.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** What execution nodes offer. Stateless. */
final class NodeOfferDao {
  private static final int MILLIS = 1000;

  /**
   * What one node has for all its jobs.
   *
   * @param pools that it serves
   * @param cpuMillis thousandths of processors; 0 if they are not booked
   * @param memoryBytes memory; 0 if it is not booked
   */
  record NodeOffer(Set<String> pools, int cpuMillis, long memoryBytes) {
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
            select pools, cpus, memory_bytes
            from node
            where kind = 'EXECUTION' and standing = 'EMPLOYED'
            """)
        .map(
            (row, context) ->
                new NodeOffer(
                    Set.copyOf(Arrays.asList(Json.read(row.getString("pools"), String[].class))),
                    (int) Math.round(row.getDouble("cpus") * MILLIS),
                    row.getLong("memory_bytes")))
        .list();
  }
}
