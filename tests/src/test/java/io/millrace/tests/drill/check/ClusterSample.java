package io.millrace.tests.drill.check;

import io.millrace.api.job.WaitCode;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What a central manager showed at one time.
 *
 * @param at seconds since boot when the answer had come
 * @param databaseTime the database's clock in that answer
 * @param nodes queue nodes and execution nodes
 * @param waiting jobs that wait for a place, and whose time has come
 */
public record ClusterSample(
    double at, Instant databaseTime, List<Node> nodes, List<WaitingJob> waiting) {
  /**
   * A node.
   *
   * @param name its name
   * @param lost whether the product takes it for lost
   * @param freeSlots those that nobody has booked; 0 for a node that takes no jobs
   */
  public record Node(String name, boolean lost, int freeSlots) {}

  /**
   * A job that waits.
   *
   * @param id its id
   * @param codes why, as the product explains it; empty when nobody has asked yet
   */
  public record WaitingJob(long id, Set<WaitCode> codes) {}

  public ClusterSample {
    nodes = List.copyOf(nodes);
    waiting = List.copyOf(waiting);
  }
}
