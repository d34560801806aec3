package io.millrace.queuenode.load;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.load.NodeLoadRule.LoadSample;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Samples this node's load once a second (H-110, H-112). Thread-safe. */
public final class LoadMeter implements Service {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final NodeLoadRule rule;
  private final LoadSignals signals;
  private final BooleanSupplier holdsSegment;
  private final Clock clock;
  private final Loop loop;
  private volatile NodeLoad current = NodeLoadRule.unmeasured();
  // Used only by the loop's thread, after the constructor.
  private long lastBusy;
  private OptionalLong lastStalled;
  private long lastLook;

  /**
   * A meter that has not started.
   *
   * @param owner the node's name, for the thread's name
   * @param holdsSegment whether the node has weight or unfinished events
   */
  public LoadMeter(
      String owner,
      NodeLoadRule rule,
      LoadSignals signals,
      BooleanSupplier holdsSegment,
      Clock clock) {
    this.rule = rule;
    this.signals = signals;
    this.holdsSegment = holdsSegment;
    this.clock = clock;
    this.lastStalled = signals.diskStalledNanos().get();
    this.lastLook = clock.nanoTime();
    this.loop = new Loop(owner + "-load", EVERY, this::sample);
  }

  /** The load now; never blocks. */
  public NodeLoad current() {
    return current;
  }

  /** Takes one sample; called by the loop and by tests. */
  void sample() {
    long now = clock.nanoTime();
    long busy = signals.storeBusyNanos().getAsLong();
    OptionalLong stalled = signals.diskStalledNanos().get();
    long elapsed = Math.max(1, now - lastLook);
    LoadSample sample =
        new LoadSample(
            signals.cpu().getAsDouble(),
            (double) (busy - lastBusy) / elapsed,
            diskShare(stalled, elapsed));
    lastBusy = busy;
    lastStalled = stalled;
    lastLook = now;
    current = rule.next(current, sample, holdsSegment.getAsBoolean());
  }

  private Double diskShare(OptionalLong stalled, long elapsed) {
    if (stalled.isEmpty() || lastStalled.isEmpty()) {
      return null;
    }
    return (double) (stalled.getAsLong() - lastStalled.getAsLong()) / elapsed;
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /**
   * The sources of a node's load signals. None may block for long.
   *
   * @param cpu share of the processors in use, 0 to 1
   * @param storeBusyNanos how long the store's writer has worked since its start
   * @param diskStalledNanos how long tasks have stalled on disks in total; empty if the system does
   *     not report it
   */
  public record LoadSignals(
      DoubleSupplier cpu, LongSupplier storeBusyNanos, Supplier<OptionalLong> diskStalledNanos) {
    /** The signals of this process over a store. */
    public static LoadSignals of(LongSupplier storeBusyNanos) {
      return new LoadSignals(new ProcessCpu(), storeBusyNanos, new DiskStalls());
    }

    /** The share of the machine's processors that this process used recently; 0 while unknown. */
    private static final class ProcessCpu implements DoubleSupplier {
      private final OperatingSystemMXBean system =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

      @Override
      public double getAsDouble() {
        // Negative at the first call and if the system does not report it.
        return Math.max(0, system.getProcessCpuLoad());
      }
    }
  }
}
