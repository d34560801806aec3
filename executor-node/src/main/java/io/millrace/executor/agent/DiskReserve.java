package io.millrace.executor.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells whether there is room for new work. Used by one thread. */
final class DiskReserve {
  private static final Logger LOGGER = LoggerFactory.getLogger(DiskReserve.class);

  private final Path directory;
  private final long reserve;
  private boolean full;

  DiskReserve(Path directory, long reserve) {
    this.directory = directory;
    this.reserve = reserve;
  }

  /** Whether more than the reserve is free; a disk that cannot be asked counts as full. */
  boolean hasRoom() {
    boolean before = full;
    try {
      full = Files.getFileStore(directory).getUsableSpace() < reserve;
    } catch (IOException e) {
      full = true;
      LOGGER.debug("cannot ask for the free space of {}", directory, e);
    }
    if (full != before) {
      LOGGER.warn(
          full
              ? "less than {} bytes are free at {}; no new work is taken until there are"
              : "more than {} bytes are free at {} again; new work is taken",
          reserve,
          directory);
    }
    return !full;
  }
}
