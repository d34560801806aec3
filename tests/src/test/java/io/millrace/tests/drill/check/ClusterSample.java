package io.millrace.tests.drill.check;

import io.millrace.api.job.WaitCode;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The state that a central manager showed at one time.
 *
 * @param at seconds since boot when the answer arrived
 * @param databaseTime the database's clock in that answer
 * @param nodes queue nodes and execution nodes
 * @param waiting jobs that are due and wait for placement
 */
public record ClusterSample(
    double at, Instant databaseTime, List<Node> nodes, List<WaitingJob> waiting) {
  /**
   * A node.
   *
   * @param name its name
   * @param lost whether the product has declared it lost
   * @param freeSlots slots that are not booked; 0 for a node that accepts no jobs
   */
  public record Node(String name, boolean lost, int freeSlots) {}

  /**
   * A waiting job.
   *
   * @param id its id
   * @param codes the wait reasons that the product gives; empty if not requested yet
   */
  public record WaitingJob(long id, Set<WaitCode> codes) {}

  public ClusterSample {
    nodes = List.copyOf(nodes);
    waiting = List.copyOf(waiting);
  }
}
