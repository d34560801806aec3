package io.millrace.api;

/**
 * Whether a node takes work (M-06, M-07). Operators ask for {@link #ACTIVE}, {@link #DRAINING} and
 * {@link #MAINTENANCE}; the other two follow from what the cluster observes.
 */
public enum NodeStatus {
  /** In service: an execution node takes jobs, a queue node takes weight. */
  ACTIVE,
  /**
   * Leaving service: an execution node takes no new jobs, a queue node gives its weight away and
   * delivers what it still holds.
   */
  DRAINING,
  /** Out of service with nothing left on it; can be stopped safely. */
  DRAINED,
  /** Out of service until a stated time; its silence until then is expected. */
  MAINTENANCE,
  /** Silent for longer than its lease (queue nodes: lease and grace), or stopped. */
  LOST
}
