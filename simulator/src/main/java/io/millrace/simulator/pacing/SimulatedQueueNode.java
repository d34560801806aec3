package io.millrace.simulator.pacing;

import io.millrace.api.queue.NodeState;
import io.millrace.simulator.pacing.Scenario.Cluster;

/**
 * The node of the segment: finishes a number of events per step, fewer when many workers keep
 * connections open, and reports its state by its smoothed load with the product's thresholds. Used
 * by one thread.
 */
final class SimulatedQueueNode {
  private static final double SMOOTHING = 0.2;

  private final Cluster cluster;
  private final double stepSeconds;
  private NodeState state = NodeState.NORMAL;
  private double load;
  private double budget;
  private double granted;
  private boolean refused;

  SimulatedQueueNode(Cluster cluster, double stepSeconds) {
    this.cluster = cluster;
    this.stepSeconds = stepSeconds;
  }

  NodeState state() {
    return state;
  }

  /** Starts a step; unused capacity of the last one is lost. */
  void begin(double part, int running) {
    if (Double.isInfinite(cluster.nodeCapacity())) {
      granted = Double.POSITIVE_INFINITY;
      budget = granted;
      return;
    }
    double used = refused || granted == 0 ? 1 : (granted - budget) / granted;
    load += SMOOTHING * (used - load);
    state = next();
    double crowding = 1 + Math.max(0, running - cluster.crowd()) / (double) cluster.crowd();
    double unused = refused ? budget : 0;
    granted = unused + cluster.nodeCapacity() * part * stepSeconds / crowding;
    budget = granted;
    refused = false;
  }

  /** Number of these events that the node finishes in this step. */
  long finish(long events) {
    long done = (long) Math.min((double) events, budget);
    budget -= done;
    refused |= done < events;
    return done;
  }

  private NodeState next() {
    boolean wasTooBusy = state == NodeState.TOOBUSY;
    if (load >= (wasTooBusy ? 0.50 : 0.70)) {
      return NodeState.TOOBUSY;
    }
    return load >= (state == NodeState.NORMAL ? 0.50 : 0.40) ? NodeState.BUSY : NodeState.NORMAL;
  }
}
