package io.millrace.platform.data;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers the requests of one process of a node, above those of every earlier process of the same
 * data directory. Thread-safe; only {@link #of} reads and writes the disk.
 */
public final class RequestNumbers {
  private static final Logger LOGGER = LoggerFactory.getLogger(RequestNumbers.class);
  private static final String FILE = "incarnation";

  private final long incarnation;
  private final AtomicLong sent = new AtomicLong();

  private RequestNumbers(long incarnation) {
    this.incarnation = incarnation;
  }

  /** Whether a node has used the data directory. */
  public static boolean isUsed(Path dataDirectory) {
    return Files.exists(dataDirectory.resolve(FILE));
  }

  /**
   * Begins a new incarnation: the clock's milliseconds, but above the last one recorded in the
   * directory. It therefore rises when the clock was set back, and when the directory was restored
   * from an older copy.
   *
   * @throws MillraceException CONFIGURATION if its file cannot be read, or contains a time more
   *     than two days in the future
   */
  public static RequestNumbers of(Path dataDirectory, Clock clock) {
    Path file = dataDirectory.resolve(FILE);
    long last = last(file);
    Instant now = clock.now();
    if (last > now.plus(RequestNumber.MAX_AHEAD).toEpochMilli()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "%s contains a start time in the future (%s; this machine's clock shows %s); correct the clock; if it is right, delete the file and start again, and see 'Clocks' in docs/operations.md if central managers then refuse the node"
              .formatted(file, Instant.ofEpochMilli(last), now));
    }
    long next = Math.max(last + 1, now.toEpochMilli());
    try {
      PrivateFiles.write(file, next + "\n");
    } catch (MillraceException unwritable) {
      // A full disk must not stop a queue node; the recorded number matters only if the clock is
      // set back before the next start.
      LOGGER.warn(
          "{}; until this file can be written, do not set this machine's clock back",
          unwritable.getMessage());
    }
    return new RequestNumbers(next);
  }

  /** The number of the next request; each call returns a higher one. */
  public RequestNumber next() {
    return new RequestNumber(incarnation, sent.incrementAndGet());
  }

  private static long last(Path file) {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return 0;
    }
    String text = read(file);
    try {
      // It may be empty after a loss of power.
      long last = text.isEmpty() ? 0 : Long.parseLong(text);
      if (last < 0) {
        throw new NumberFormatException(text);
      }
      return last;
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file
              + " does not contain a number; if this machine's clock has never been ahead, delete"
              + " the file and start again",
          e);
    }
  }

  private static String read(Path file) {
    // Opening a pipe would block until another process writes to it.
    if (!Files.isRegularFile(file)) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, file + " is not a regular file; remove it and start again");
    }
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "cannot read " + file + ": " + e, e);
    }
  }
}
