package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import java.util.Map;

/**
 * What a node did lately, to compare nodes by.
 *
 * @param name its name
 * @param configured capacity by its configuration, 1 for an ordinary node
 * @param utilisation its load, 0 to 1
 * @param queues what each of its segments did, by queue
 */
@Pure
public record NodeWork(
    String name, double configured, double utilisation, Map<String, QueueWork> queues) {
  public NodeWork {
    queues = Map.copyOf(queues);
  }

  /**
   * What a segment did.
   *
   * @param events stored and leased per second
   * @param share its part of the node's load, 0 to 1
   */
  public record QueueWork(double events, double share) {}
}
