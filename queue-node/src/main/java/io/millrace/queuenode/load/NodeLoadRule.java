package io.millrace.queuenode.load;

import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import java.util.Locale;

/**
 * Derives a node's state from its samples: each signal is smoothed, V = αN + (1−α)V, the largest
 * counts, and each state has a lower threshold for leaving it, so that states do not flap
 * (H-110..H-114). Pure and thread-safe.
 */
public final class NodeLoadRule {
  private final LoadSettings settings;
  private final LoadReason reason;

  public NodeLoadRule(LoadSettings settings) {
    this.settings = settings;
    this.reason = new LoadReason(settings);
  }

  /** A node without measurements. */
  public static NodeLoad unmeasured() {
    return new NodeLoad(NodeState.IDLE, 0, 0, 0, null, "not measured yet");
  }

  /**
   * The load after one more sample.
   *
   * @param before the previous result
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

  /** The value of a disk that cannot be read is not kept: an old value would hold the state. */
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

  /** Describes a state with the signal and the thresholds it is based on. Pure and thread-safe. */
  private static final class LoadReason {
    private final String tooBusy;
    private final String busy;
    private final String normal;

    LoadReason(LoadSettings settings) {
      this.tooBusy = band(settings.tooBusyEnter(), settings.tooBusyLeave());
      this.busy = band(settings.busyEnter(), settings.busyLeave());
      this.normal = String.format(Locale.ROOT, ": below %.2f", settings.busyEnter());
    }

    private static String band(double enter, double leave) {
      return String.format(Locale.ROOT, ": from %.2f until below %.2f", enter, leave);
    }

    String of(NodeState state, String signal, double load) {
      return switch (state) {
        case IDLE -> "holds no segment";
        case NORMAL -> signal + " " + figure(load) + normal;
        case BUSY -> signal + " " + figure(load) + busy;
        case TOOBUSY -> signal + " " + figure(load) + tooBusy;
      };
    }

    /**
     * Two digits, cut rather than rounded, so that 0.499 does not read as 0.50 "below 0.50";
     * without a formatter, which is slow for every sample of every simulated node.
     */
    private static String figure(double load) {
      long hundredths = (long) Math.floor(load * 100 + 1e-6);
      return hundredths / 100 + (hundredths % 100 < 10 ? ".0" : ".") + hundredths % 100;
    }
  }

  /**
   * One measurement, each 0 to 1.
   *
   * @param cpu share of the machine's processors that the process used
   * @param store share of wall time that the store's writer worked
   * @param disk share of wall time that some task of the machine stalled on a disk; null if the
   *     system does not report it
   */
  public record LoadSample(double cpu, double store, Double disk) {
    /** A measurement on a machine that does not report disk stalls. */
    public LoadSample(double cpu, double store) {
      this(cpu, store, null);
    }
  }
}
