package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Adds up what the processes of one attempt use, sample by sample. Pure; used by one thread.
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

  /** Continues from the usage kept by an earlier agent, if any. */
  UsageTally(Optional<Usage> kept) {
    this.total = kept.orElse(null);
  }

  /** Adds a sample of all processes of the attempt. */
  void add(Collection<Consumption> processes) {
    Map<Long, Consumption> now = new HashMap<>();
    processes.forEach(process -> now.put(process.pid(), process));
    for (Consumption exited : last.values()) {
      if (!now.containsKey(exited.pid()) && !now.containsKey(exited.parent())) {
        orphanCpuMillis += exited.cpuMillis();
        orphanReadBytes += exited.readBytes();
        orphanWrittenBytes += exited.writtenBytes();
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
    total = total == null ? seen : total.larger(seen);
  }

  /** The usage up to the last sample; empty if there was none. */
  Optional<Usage> total() {
    return Optional.ofNullable(total);
  }

  /**
   * What one process has used up to now, by {@code stat} and {@code io} of {@code /proc}.
   *
   * <p>Times and bytes include those of its children that have ended and that it has waited for, so
   * that nothing is lost when a child ends.
   *
   * @param pid process id
   * @param parent process id of its parent
   * @param cpuMillis processor time
   * @param residentBytes resident memory now, shared pages included
   * @param readBytes read from storage
   * @param writtenBytes written to storage
   */
  record Consumption(
      long pid,
      long parent,
      long cpuMillis,
      long residentBytes,
      long readBytes,
      long writtenBytes) {

    // The kernel reports times to user space in this unit on every architecture that runs a JDK 17.
    private static final int MILLIS_PER_TICK = 10;
    private static final int PARENT = 1;
    private static final int USER_TIME = 11;
    private static final int WAITED_SYSTEM_TIME = 14;
    private static final int RESIDENT_PAGES = 21;

    /**
     * Reads {@code stat} and, as far as it may be read, {@code io}; empty if it is not a process.
     */
    static Optional<Consumption> parse(long pid, String stat, String io, long pageSize) {
      String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
      try {
        long ticks = 0;
        for (int field = USER_TIME; field <= WAITED_SYSTEM_TIME; field++) {
          ticks += Math.max(0, Long.parseLong(fields[field]));
        }
        return Optional.of(
            new Consumption(
                pid,
                Long.parseLong(fields[PARENT]),
                ticks * MILLIS_PER_TICK,
                Long.parseLong(fields[RESIDENT_PAGES]) * pageSize,
                bytes(io, "read_bytes: "),
                bytes(io, "write_bytes: ")));
      } catch (IndexOutOfBoundsException | NumberFormatException notAStatLine) {
        return Optional.empty();
      }
    }

    private static long bytes(String io, String label) {
      return io.lines()
          .filter(line -> line.startsWith(label))
          .mapToLong(line -> Long.parseLong(line.substring(label.length()).strip()))
          .findFirst()
          .orElse(0);
    }
  }
}
