package io.millrace.queuenode.load;

import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.NodeState;
import java.util.Locale;

/**
 * Tells a node's state from its samples: each signal is smoothed, V = αN + (1−α)V, the largest
 * counts, and each step up has a threshold of its own for the way down, so that states do not flap
 * (H-113, H-114). Pure.
 */
public final class NodeLoadRule {
  private final LoadSettings settings;

  public NodeLoadRule(LoadSettings settings) {
    this.settings = settings;
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
    double counted = settings.cpu() ? cpu : 0;
    double load = Math.max(counted, store);
    if (!holdsSegment) {
      return new NodeLoad(NodeState.IDLE, load, cpu, store, null, "holds no segment");
    }
    NodeState state = state(before.state(), load);
    return new NodeLoad(state, load, cpu, store, null, reason(state, counted, store));
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

  private String reason(NodeState state, double cpu, double store) {
    String signal = store >= cpu ? "store " : "cpu ";
    double load = Math.max(cpu, store);
    return switch (state) {
      case TOOBUSY ->
          words(
              "%s%.2f: from %.2f until below %.2f",
              signal, load, settings.tooBusyEnter(), settings.tooBusyLeave());
      case BUSY ->
          words(
              "%s%.2f: from %.2f until below %.2f",
              signal, load, settings.busyEnter(), settings.busyLeave());
      default -> words("%s%.2f: below %.2f", signal, load, settings.busyEnter());
    };
  }

  private static String words(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
