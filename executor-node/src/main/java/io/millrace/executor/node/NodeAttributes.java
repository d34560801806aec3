package io.millrace.executor.node;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Map;

/** What this machine is, for jobs that require something of it. */
final class NodeAttributes {
  private NodeAttributes() {}

  static Map<String, String> ofThisMachine() {
    OperatingSystemMXBean machine =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return Map.of(
        "os", System.getProperty("os.name").toLowerCase(Locale.ROOT),
        "arch", System.getProperty("os.arch"),
        "cpus", Integer.toString(machine.getAvailableProcessors()),
        "memory", Long.toString(machine.getTotalMemorySize()));
  }
}
