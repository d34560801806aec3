package io.millrace.manager.placement;

import java.util.List;

/**
 * What placement looks at: one pool at one moment.
 *
 * @param pool name of the pool
 * @param jobs ready jobs of the pool, oldest first within a priority
 * @param nodes nodes that serve the pool and take jobs
 */
public record PlacementSnapshot(String pool, List<ReadyJob> jobs, List<OpenNode> nodes) {
  public PlacementSnapshot {
    jobs = List.copyOf(jobs);
    nodes = List.copyOf(nodes);
  }
}
