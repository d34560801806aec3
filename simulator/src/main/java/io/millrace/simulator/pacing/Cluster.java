package io.millrace.simulator.pacing;

/**
 * What the workers run on.
 *
 * @param slots workers that may run at once
 * @param nodeCapacity events per second that the queue node can finish; infinite for a node that is
 *     never the bottleneck
 * @param crowd running workers above which the node gets slower the more there are, because their
 *     open connections cost it (H-214)
 */
public record Cluster(int slots, double nodeCapacity, int crowd) {
  public Cluster {
    if (slots < 1 || crowd < 1 || !(nodeCapacity > 0)) {
      throw new IllegalArgumentException("slots, crowd and the capacity of the node are above 0");
    }
  }

  /** Slots and a queue node without limit. */
  public static Cluster unlimited() {
    return new Cluster(Integer.MAX_VALUE, Double.POSITIVE_INFINITY, Integer.MAX_VALUE);
  }
}
