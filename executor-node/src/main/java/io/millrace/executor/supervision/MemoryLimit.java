package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import io.millrace.executor.supervision.ControlGroups.ControlGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limit of memory of one attempt as far as the kernel enforces it.
 *
 * @param records of the attempt
 * @param bytes the limit; 0 for none
 * @param groups where the kernel does; else the limit is sampled
 */
record MemoryLimit(AttemptRecords records, long bytes, Optional<ControlGroups> groups) {
  private static final Logger LOGGER = LoggerFactory.getLogger(MemoryLimit.class);

  /** Makes the group that its command joins; empty when the limit is sampled. */
  Optional<ControlGroup> create() {
    if (bytes == 0 || groups.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(groups.get().create(name(), bytes));
    } catch (IOException e) {
      LOGGER.warn("no control group for attempt {}; its memory is sampled", name(), e);
      return Optional.empty();
    }
  }

  /** The group that was made for it, if there is one. */
  Optional<ControlGroup> group() {
    return bytes == 0
        ? Optional.empty()
        : groups.map(all -> all.of(name())).filter(one -> Files.isDirectory(one.folder()));
  }

  /** Why the kernel has killed it, if it has. */
  static Optional<Intent> verdict(ControlGroup group, long limit) {
    if (!group.wasKilledForMemory()) {
      return Optional.empty();
    }
    return Optional.of(Intent.memoryExceeded(limit, group.peakBytes().orElse(limit)));
  }

  /** The most memory that was in use there. */
  static Optional<Usage> peak(ControlGroup group) {
    return group.peakBytes().stream().mapToObj(bytes -> new Usage(0, bytes, 0, 0)).findFirst();
  }

  private String name() {
    return records.directory().id().toString();
  }
}
