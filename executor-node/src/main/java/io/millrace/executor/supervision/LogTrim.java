package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Keeps the outputs of one attempt within their limits while it writes. Thread-safe: the look at
 * its end waits for the one that is under way.
 */
final class LogTrim {
  private final AttemptDirectory directory;
  private final LogLimits limits;
  private final HolePunch punch;

  LogTrim(AttemptDirectory directory, LogLimits limits, HolePunch punch) {
    this.directory = directory;
    this.limits = limits;
    this.punch = punch;
  }

  /** Drops what is too much; true when something was. */
  synchronized boolean look() throws IOException {
    boolean dropped = false;
    for (LogStream stream : LogStream.values()) {
      dropped |= trim(stream);
    }
    return dropped;
  }

  private boolean trim(LogStream stream) throws IOException {
    Path file = directory.output(stream);
    long head = limits.head().bytes();
    long tail = limits.tail().bytes();
    long size = size(file);
    if (size <= head + tail + tail / 4) {
      return false;
    }
    DroppedRange before = DroppedRange.read(directory.droppedRecord(stream));
    long kept = size - Math.max(before.to(), head);
    if (kept <= tail + tail / 4) {
      return false;
    }
    DroppedRange range = new DroppedRange(head, size - tail);
    // Told before it is done, so that no reader takes the gap for bytes of the program.
    range.write(directory.droppedRecord(stream));
    punch.free(file, new DroppedRange(Math.max(head, before.to()), range.to()));
    return true;
  }

  private static long size(Path file) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile() ? attributes.size() : 0;
    } catch (NoSuchFileException removedByTheAttempt) {
      return 0;
    }
  }
}
