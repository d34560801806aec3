package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Adds up what the processes of one attempt use, look by look. Pure; used by one thread.
 *
 * <p>A process carries the times of the children it has waited for; the last figures of one that
 * went without anybody of the attempt to wait for it are kept here. A sum never falls.
 */
final class UsageTally {
  private Map<Long, Consumption> last = Map.of();
  private long orphanCpuMillis;
  private long orphanReadBytes;
  private long orphanWrittenBytes;
  private Usage total;

  /** Goes on from what an earlier agent has kept, if it has. */
  UsageTally(Optional<Usage> kept) {
    this.total = kept.orElse(null);
  }

  /** Takes in all processes of the attempt as they are now. */
  void add(Collection<Consumption> processes) {
    Map<Long, Consumption> now = new HashMap<>();
    processes.forEach(process -> now.put(process.pid(), process));
    for (Consumption gone : last.values()) {
      if (!now.containsKey(gone.pid()) && !now.containsKey(gone.parent())) {
        orphanCpuMillis += gone.cpuMillis();
        orphanReadBytes += gone.readBytes();
        orphanWrittenBytes += gone.writtenBytes();
      }
    }
    last = now;
    if (processes.isEmpty()) {
      return;
    }
    long cpuMillis = orphanCpuMillis;
    long memoryBytes = 0;
    long readBytes = orphanReadBytes;
    long writtenBytes = orphanWrittenBytes;
    for (Consumption process : processes) {
      cpuMillis += process.cpuMillis();
      memoryBytes += process.residentBytes();
      readBytes += process.readBytes();
      writtenBytes += process.writtenBytes();
    }
    Usage seen = new Usage(cpuMillis, memoryBytes, readBytes, writtenBytes);
    total = total == null ? seen : larger(total, seen);
  }

  /** What was used up to the last look; empty when there was none. */
  Optional<Usage> total() {
    return Optional.ofNullable(total);
  }

  /** Of two accounts of the same processes, neither of which saw everything, the larger figures. */
  static Usage larger(Usage one, Usage other) {
    return new Usage(
        Math.max(one.cpuMillis(), other.cpuMillis()),
        Math.max(one.memoryBytes(), other.memoryBytes()),
        Math.max(one.readBytes(), other.readBytes()),
        Math.max(one.writtenBytes(), other.writtenBytes()));
  }
}
