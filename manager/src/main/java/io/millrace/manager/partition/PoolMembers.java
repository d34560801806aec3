package io.millrace.manager.partition;

import io.millrace.api.node.ExecutionNodeView;
import io.millrace.manager.partition.PartitionGroups.RingCache;
import java.util.List;
import java.util.function.Supplier;

/**
 * The members of a partitioned task: the live execution nodes of its pool that accept jobs.
 * Thread-safe; blocks on the database.
 */
public final class PoolMembers {
  private final Supplier<List<ExecutionNodeView>> nodes;
  private final RingCache rings = new RingCache();

  /**
   * The members of all pools.
   *
   * @param nodes all execution nodes, by name
   */
  public PoolMembers(Supplier<List<ExecutionNodeView>> nodes) {
    this.nodes = nodes;
  }

  /** The ring of the current members. */
  public Ring ring(String pool) {
    List<String> living =
        nodes.get().stream()
            .filter(node -> !node.lost())
            .filter(node -> node.pools().contains(pool))
            .map(ExecutionNodeView::name)
            .sorted()
            .toList();
    return rings.of(pool, living);
  }
}
