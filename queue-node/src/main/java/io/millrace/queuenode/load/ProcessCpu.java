package io.millrace.queuenode.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.DoubleSupplier;

/** The share of the machine's processors that this process used lately; 0 while unknown. */
public final class ProcessCpu implements DoubleSupplier {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @Override
  public double getAsDouble() {
    // Negative at the first call and where the system does not tell.
    return Math.max(0, system.getProcessCpuLoad());
  }
}
