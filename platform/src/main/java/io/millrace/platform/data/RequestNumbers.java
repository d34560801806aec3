package io.millrace.platform.data;

import io.millrace.api.node.RequestNumber;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.time.Clock;
import io.millrace.platform.token.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the requests of one process of a node, above those of every earlier process of the same
 * data directory. Thread-safe; only {@link #of} reads and writes the disk.
 */
public final class RequestNumbers {
  private static final String FILE = "incarnation";

  private final long incarnation;
  private final AtomicLong sent = new AtomicLong();

  private RequestNumbers(long incarnation) {
    this.incarnation = incarnation;
  }

  /**
   * Begins a new incarnation: the milliseconds of the clock, and above the last one that the
   * directory has seen. So it rises when the clock was set back, and also when the directory comes
   * from an older copy.
   *
   * @throws MillraceException CONFIGURATION when its file can't be read or written
   */
  public static RequestNumbers of(Path dataDirectory, Clock clock) {
    Path file = dataDirectory.resolve(FILE);
    long last = last(file);
    long next = Math.max(last + 1, clock.now().toEpochMilli());
    PrivateFiles.write(file, next + "\n");
    return new RequestNumbers(next);
  }

  /** The number of a request that is about to be sent; each call gives a higher one. */
  public RequestNumber next() {
    return new RequestNumber(incarnation, sent.incrementAndGet());
  }

  private static long last(Path file) {
    try {
      return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    } catch (IOException | NumberFormatException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file + " holds no readable number: " + e + "; delete it if the machine's clock is right",
          e);
    }
  }
}
