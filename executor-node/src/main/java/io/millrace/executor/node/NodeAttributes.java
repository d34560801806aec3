package io.millrace.executor.node;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What this machine is, for jobs that require something of it (H-224). */
final class NodeAttributes {
  private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");

  private NodeAttributes() {}

  static Map<String, String> of(OfferSettings offer) {
    Map<String, String> attributes = new HashMap<>();
    attributes.put("os", System.getProperty("os.name").toLowerCase(Locale.ROOT));
    attributes.put("arch", System.getProperty("os.arch"));
    attributes.put("kernel", System.getProperty("os.version"));
    attributes.put("cpus", Integer.toString(machine().getAvailableProcessors()));
    attributes.put("memory", Long.toString(machineMemory()));
    hostname().ifPresent(name -> attributes.put("hostname", name));
    offer.beside().ifPresent(queueNode -> attributes.put("near", queueNode));
    offer.labels().forEach((name, value) -> attributes.put("label." + name, value));
    offer.software().forEach((name, version) -> attributes.put("software." + name, version));
    return Map.copyOf(attributes);
  }

  /** The machine's memory, or its container's. */
  static long machineMemory() {
    return machine().getTotalMemorySize();
  }

  // The network's name for this host may take long to find, and may be another one.
  private static Optional<String> hostname() {
    try {
      return Optional.of(Files.readString(HOSTNAME).strip()).filter(name -> !name.isEmpty());
    } catch (IOException e) {
      return Optional.ofNullable(System.getenv("HOSTNAME"));
    }
  }

  private static OperatingSystemMXBean machine() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  }
}
