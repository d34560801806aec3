package io.millrace.queuenode.segment;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.quantity.DataSize;
import io.millrace.platform.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Refuses events while the disk has less free space than the reserve, so that leases and
 * acknowledgements can still be written. Looks at the disk at most once in half a second.
 * Thread-safe.
 */
public final class DiskReserve {
  private static final Duration LOOKED_EVERY = Duration.ofMillis(500);

  private record Look(long free, long atNanos) {}

  private final String place;
  private final DataSize reserve;
  private final LongSupplier freeBytes;
  private final Clock clock;
  private volatile Look last;

  /**
   * A reserve over any measure of free space.
   *
   * @param place what is full, for people
   */
  public DiskReserve(String place, DataSize reserve, LongSupplier freeBytes, Clock clock) {
    this.place = place;
    this.reserve = reserve;
    this.freeBytes = freeBytes;
    this.clock = clock;
    this.last = new Look(freeBytes.getAsLong(), clock.nanoTime());
  }

  /** The reserve of the disk that holds an existing folder. */
  public static DiskReserve of(Path folder, DataSize reserve, Clock clock) {
    return new DiskReserve("the disk of " + folder, reserve, () -> usable(folder), clock);
  }

  private static long usable(Path folder) {
    try {
      return Files.getFileStore(folder).getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Throws DISK_FULL when so many more bytes would touch the reserve. */
  void require(long bytes) {
    if (free() - bytes < reserve.bytes()) {
      throw new MillraceException(
          ErrorCode.DISK_FULL,
          place
              + " has less than its reserve of "
              + reserve
              + " free; free some space, or send to another node");
    }
  }

  /** Whether events are taken. */
  public boolean hasRoom() {
    return free() >= reserve.bytes();
  }

  private long free() {
    Look look = last;
    long now = clock.nanoTime();
    if (now - look.atNanos() >= LOOKED_EVERY.toNanos()) {
      look = new Look(freeBytes.getAsLong(), now);
      last = look;
    }
    return look.free();
  }
}
