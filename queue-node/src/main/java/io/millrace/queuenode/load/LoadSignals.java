package io.millrace.queuenode.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where the signals of a node's load come from. None may block for long.
 *
 * @param cpu share of the processors in use, 0 to 1
 * @param storeBusyNanos how long the store's writer has worked since its start
 * @param diskStalledNanos how long tasks have stalled on disks since ever; empty where the system
 *     does not tell
 */
public record LoadSignals(
    DoubleSupplier cpu, LongSupplier storeBusyNanos, Supplier<OptionalLong> diskStalledNanos) {
  /** The signals of this process over a store. */
  public static LoadSignals of(LongSupplier storeBusyNanos) {
    return new LoadSignals(new ProcessCpu(), storeBusyNanos, new DiskStalls());
  }

  /** The share of the machine's processors that this process used lately; 0 while unknown. */
  private static final class ProcessCpu implements DoubleSupplier {
    private final OperatingSystemMXBean system =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    @Override
    public double getAsDouble() {
      // Negative at the first call and where the system does not tell.
      return Math.max(0, system.getProcessCpuLoad());
    }
  }
}
