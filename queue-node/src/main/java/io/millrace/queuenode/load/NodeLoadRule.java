package io.millrace.queuenode.load;

import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.NodeState;

/**
 * Tells a node's state from its samples: each signal is smoothed, V = αN + (1−α)V, the largest
 * counts, and each step up has a threshold of its own for the way down, so that states do not flap
 * (H-110..H-114). Pure and thread-safe.
 */
public final class NodeLoadRule {
  private final LoadSettings settings;
  private final LoadReason reason;

  public NodeLoadRule(LoadSettings settings) {
    this.settings = settings;
    this.reason = new LoadReason(settings);
  }

  /** A node of which nothing was measured yet. */
  public static NodeLoad unmeasured() {
    return new NodeLoad(NodeState.IDLE, 0, 0, 0, null, "not measured yet");
  }

  /**
   * The load after one more sample.
   *
   * @param before what this rule said last
   * @param holdsSegment whether the node has weight or unfinished events of any queue
   */
  public NodeLoad next(NodeLoad before, LoadSample sample, boolean holdsSegment) {
    double cpu = smoothed(before.cpu(), sample.cpu());
    double store = smoothed(before.store(), sample.store());
    Double disk = smoothedDisk(before.disk(), sample.disk());
    String signal = "store";
    double load = store;
    if (settings.machine() && cpu > load) {
      signal = "cpu";
      load = cpu;
    }
    if (settings.machine() && disk != null && disk > load) {
      signal = "disk";
      load = disk;
    }
    NodeState state = holdsSegment ? state(before.state(), load) : NodeState.IDLE;
    return new NodeLoad(state, load, cpu, store, disk, reason.of(state, signal, load));
  }

  /** A disk that can't be read now is not remembered: an old value would hold the state. */
  private Double smoothedDisk(Double before, Double sample) {
    return sample == null ? null : (Double) smoothed(before == null ? 0 : before, sample);
  }

  private double smoothed(double before, double sample) {
    double bounded = Math.min(1, Math.max(0, sample));
    return settings.newShare() * bounded + (1 - settings.newShare()) * before;
  }

  private NodeState state(NodeState before, double load) {
    boolean tooBusy =
        load >= settings.tooBusyEnter()
            || (before == NodeState.TOOBUSY && load >= settings.tooBusyLeave());
    if (tooBusy) {
      return NodeState.TOOBUSY;
    }
    boolean wasBusy = before == NodeState.BUSY || before == NodeState.TOOBUSY;
    boolean busy = load >= settings.busyEnter() || (wasBusy && load >= settings.busyLeave());
    return busy ? NodeState.BUSY : NodeState.NORMAL;
  }
}
