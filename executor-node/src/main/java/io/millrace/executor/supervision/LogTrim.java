package io.millrace.executor.supervision;

import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the outputs of one attempt within their limits while it writes. Thread-safe: the check at
 * its end waits for the one in progress.
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

  /** Drops what exceeds the limits; true when something was. */
  synchronized boolean check() throws IOException {
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

  /**
   * The part of an output whose disk space was freed. All other bytes keep their offsets.
   *
   * @param from the first byte dropped
   * @param to the first byte kept again; not above {@code from} when nothing was dropped
   */
  record DroppedRange(long from, long to) {
    static final DroppedRange NONE = new DroppedRange(0, 0);

    static DroppedRange read(Path file) throws IOException {
      return LineRecord.read(file)
          .map(
              lines ->
                  new DroppedRange(lines.number("from").orElse(0L), lines.number("to").orElse(0L)))
          .orElse(NONE);
    }

    void write(Path file) throws IOException {
      new LineRecord(Map.of("from", Long.toString(from), "to", Long.toString(to))).write(file);
    }

    boolean holds(long offset) {
      return from <= offset && offset < to;
    }

    /** The line that readers find in its place. */
    ByteBuffer notice() {
      String notice = "\n[millrace: " + (to - from) + " bytes of this output were dropped here]\n";
      return ByteBuffer.wrap(notice.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * Gives a part of a file that others write to back to the disk, with the {@code fallocate} of
   * util-linux: nothing is copied, nothing that is written meanwhile can be lost, and all other
   * bytes stay where they are. Thread-safe; blocks for the time of a process start.
   */
  static final class HolePunch {
    private static final Logger LOGGER = LoggerFactory.getLogger(HolePunch.class);
    private static final int SECONDS = 30;

    private final AtomicBoolean refused = new AtomicBoolean();

    /** Frees the bytes; where the file system cannot, nothing happens except one log message. */
    void free(Path file, DroppedRange range) {
      if (refused.get()) {
        return;
      }
      try {
        Process process =
            new ProcessBuilder(
                    "fallocate",
                    "--punch-hole",
                    "--offset=" + range.from(),
                    "--length=" + (range.to() - range.from()),
                    file.toString())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor(SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
          return;
        }
        process.destroyForcibly();
      } catch (IOException e) {
        LOGGER.debug("cannot run fallocate", e);
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
        return;
      }
      refused.set(true);
      LOGGER.warn(
          "{} cannot be shortened: outputs of attempts are hidden beyond their limit, but take room on"
              + " this disk until they are deleted; use ext4, xfs, btrfs or tmpfs and util-linux",
          file);
    }
  }
}
