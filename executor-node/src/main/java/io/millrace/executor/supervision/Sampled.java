package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import io.millrace.executor.supervision.UsageTally.Consumption;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is sampled while an attempt runs: the usage of its processes, its memory limit, the length
 * of its outputs. Thread-safe; {@link #sample} is called by the sampler alone.
 */
final class Sampled {
  private static final Logger LOGGER = LoggerFactory.getLogger(Sampled.class);
  private final AttemptRecords records;
  private final ProcessIdentity leader;
  private final long memoryLimit;
  private final LongConsumer exceeded;
  private final LogTrim logs;
  private final Duration keepEvery;
  // Guarded by this.
  private final UsageTally tally;
  // Only touched by the sampler's thread.
  private long keptAt;
  private boolean kept;

  /**
   * Starts without a sample.
   *
   * @param memoryLimit in bytes; 0 if there is none or the kernel enforces it
   * @param exceeded called with the usage when it exceeds the limit
   * @param before the usage kept by an earlier agent
   * @param keepEvery how often the usage is kept on disk for a later agent
   */
  Sampled(
      AttemptRecords records,
      ProcessIdentity leader,
      long memoryLimit,
      LongConsumer exceeded,
      LogTrim logs,
      Optional<Usage> before,
      Duration keepEvery) {
    this.records = records;
    this.leader = leader;
    this.memoryLimit = memoryLimit;
    this.exceeded = exceeded;
    this.logs = logs;
    this.keepEvery = keepEvery;
    this.tally = new UsageTally(before);
  }

  ProcessIdentity leader() {
    return leader;
  }

  /** Whether it should be sampled more often than others. */
  boolean isLimited() {
    return memoryLimit > 0;
  }

  /** Samples all its processes; true if it writes so much that the next sample should be soon. */
  boolean sample(List<ProcessEntry> processes, ProcessTable table, long now) {
    List<Consumption> consumed =
        processes.stream().flatMap(process -> table.consumption(process.pid()).stream()).toList();
    synchronized (this) {
      tally.add(consumed);
    }
    checkMemory(consumed, table);
    keep(now);
    return trim();
  }

  /** The usage up to the last sample; empty if there was none. */
  synchronized Optional<Usage> usage() {
    return tally.total();
  }

  /** Shortens the outputs if necessary; true if they were. */
  boolean trim() {
    try {
      return logs.check();
    } catch (IOException e) {
      LOGGER.warn("cannot shorten the outputs of attempt {}", records.directory().id(), e);
      return false;
    }
  }

  private void checkMemory(List<Consumption> consumed, ProcessTable table) {
    if (memoryLimit == 0 || sum(consumed) <= memoryLimit) {
      return;
    }
    // Pages that processes share were counted once for each of them.
    long used =
        consumed.stream()
            .mapToLong(
                process -> table.proportionalBytes(process.pid()).orElse(process.residentBytes()))
            .sum();
    if (used > memoryLimit) {
      exceeded.accept(used);
    }
  }

  private static long sum(List<Consumption> consumed) {
    return consumed.stream().mapToLong(Consumption::residentBytes).sum();
  }

  private void keep(long now) {
    Optional<Usage> usage = usage();
    if (usage.isEmpty() || (kept && now - keptAt < keepEvery.toNanos())) {
      return;
    }
    kept = true;
    keptAt = now;
    try {
      records.writeUsage(usage.get());
    } catch (IOException e) {
      LOGGER.debug("cannot keep the usage of attempt {}", records.directory().id(), e);
    }
  }
}
