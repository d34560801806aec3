package io.millrace.api;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Nanoseconds that never go back and that count the time in which the machine was suspended, in
 * steps of 10 ms: what a process was promised for a time has ended when it wakes up. Read from
 * {@code /proc/uptime}; where that does not exist, a monotonic clock that may stand still in a
 * suspension. Only differences within one process are meaningful. Thread-safe; never blocks.
 */
public final class BootClock implements LongSupplier {
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final int LONGEST = 64;
  private static final int NANO_DIGITS = 9;

  private final Path file;
  private final LongSupplier otherwise;
  // Guarded by this; null where the file is not used.
  private RandomAccessFile open;

  private BootClock(Path file, LongSupplier otherwise) {
    this.file = file;
    this.otherwise = otherwise;
    this.open = opened();
  }

  /** The clock of this machine, or the given one where it has none. */
  public static BootClock of(LongSupplier otherwise) {
    return of(UPTIME, otherwise);
  }

  static BootClock of(Path file, LongSupplier otherwise) {
    return new BootClock(file, otherwise);
  }

  private RandomAccessFile opened() {
    if (!Files.isReadable(file)) {
      return null;
    }
    try (RandomAccessFile tried = new RandomAccessFile(file.toFile(), "r")) {
      read(tried);
      // Kept open for the life of the process, as it is read at each request.
      return new RandomAccessFile(file.toFile(), "r");
    } catch (IOException | RuntimeException unusable) {
      return null;
    }
  }

  @Override
  public synchronized long getAsLong() {
    if (open == null) {
      return otherwise.getAsLong();
    }
    try {
      return read(open);
    } catch (IOException | RuntimeException e) {
      // Another clock would begin elsewhere: what was measured with this one would be nonsense.
      throw new IllegalStateException(file + " is not readable any more", e);
    }
  }

  private static long read(RandomAccessFile file) throws IOException {
    byte[] text = new byte[LONGEST];
    file.seek(0);
    int length = file.read(text);
    int end = 0;
    while (end < length && text[end] != ' ') {
      end++;
    }
    String seconds = new String(text, 0, end, StandardCharsets.US_ASCII).strip();
    return new BigDecimal(seconds).movePointRight(NANO_DIGITS).longValue();
  }
}
