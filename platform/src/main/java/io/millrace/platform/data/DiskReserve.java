package io.millrace.platform.data;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether there is space for new work: not while the disk has less free space than the
 * reserve, so that accepted work can still be written. A disk whose free space cannot be read is
 * considered full. Checks the disk at most once in half a second and logs changes. Thread-safe.
 */
public final class DiskReserve {
  private static final Logger LOGGER = LoggerFactory.getLogger(DiskReserve.class);
  private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
  private static final long UNKNOWN = -1;

  private record Look(long free, long atNanos) {}

  private final String place;
  private final DataSize reserve;
  private final LongSupplier freeBytes;
  private final Clock clock;
  private final AtomicReference<Look> last;

  /**
   * A reserve with any measure of free space.
   *
   * @param place what is full, for messages
   * @param freeBytes the free space; below 0 if unknown
   */
  public DiskReserve(String place, DataSize reserve, LongSupplier freeBytes, Clock clock) {
    this.place = place;
    this.reserve = reserve;
    this.freeBytes = freeBytes;
    this.clock = clock;
    this.last = new AtomicReference<>(new Look(freeBytes.getAsLong(), clock.nanoTime()));
    if (!hasSpace()) {
      notifyListeners();
    }
  }

  /** The reserve of the disk that holds an existing folder. */
  public static DiskReserve of(Path folder, DataSize reserve, Clock clock) {
    return new DiskReserve("the disk of " + folder, reserve, () -> usable(folder), clock);
  }

  private static long usable(Path folder) {
    try {
      return Files.getFileStore(folder).getUsableSpace();
    } catch (IOException e) {
      LOGGER.debug("cannot read the free space of {}", folder, e);
      return UNKNOWN;
    }
  }

  /**
   * Checks that the given number of bytes can be written without using the reserve.
   *
   * @throws MillraceException DISK_FULL if not
   */
  public void require(long bytes) {
    long free = free();
    if (free < 0 || free - bytes < reserve.bytes()) {
      throw new MillraceException(
          ErrorCode.DISK_FULL, tooLittle() + "; free some space, or send to another node");
    }
  }

  /** What is missing; empty while there is space. */
  public Optional<String> shortage() {
    return hasSpace() ? Optional.empty() : Optional.of(tooLittle());
  }

  private String tooLittle() {
    return place + " has less than its reserve of " + reserve + " free";
  }

  /** Shows the free space and the reserve as gauges, as long as this object is in use. */
  public void measure(MeterRegistry registry) {
    Gauge.builder("millrace.disk.free.bytes", this, DiskReserve::shownFree)
        .description("free space of the disk with the node's data; NaN if unknown")
        .register(registry);
    Gauge.builder("millrace.disk.reserve.bytes", this, disk -> disk.reserve.bytes())
        .description("free space below which the node accepts nothing new")
        .register(registry);
  }

  private double shownFree() {
    long free = free();
    return free < 0 ? Double.NaN : free;
  }

  /** Whether new work is accepted. */
  public boolean hasSpace() {
    return isAboveReserve(free());
  }

  private boolean isAboveReserve(long free) {
    return free >= 0 && free >= reserve.bytes();
  }

  private long free() {
    Look seen = last.get();
    long now = clock.nanoTime();
    if (now - seen.atNanos() < CHECK_INTERVAL.toNanos()) {
      return seen.free();
    }
    Look fresh = new Look(freeBytes.getAsLong(), now);
    // Of several threads only one logs the change.
    if (last.compareAndSet(seen, fresh)
        && isAboveReserve(seen.free()) != isAboveReserve(fresh.free())) {
      notifyListeners();
    }
    return fresh.free();
  }

  private void notifyListeners() {
    LOGGER.warn(
        isAboveReserve(last.get().free())
            ? "{} has its reserve of {} free again; new work is accepted"
            : "{} has less than its reserve of {} free; no new work is accepted until space is freed",
        place,
        reserve);
  }
}
