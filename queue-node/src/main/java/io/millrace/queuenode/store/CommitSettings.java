package io.millrace.queuenode.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How the committer groups.
 *
 * @param durability whether puts wait for the disk
 * @param groupSize requests in one transaction at the most
 * @param maxPendingBytes bytes of puts that may wait at once
 * @param putTimeout how long a put waits for space before it is rejected
 * @param writeDelay added to each group before it is answered. A real delay of the writer, so that
 *     a drill can make a node weak: it counts as work in every figure
 */
public record CommitSettings(
    Durability durability,
    int groupSize,
    long maxPendingBytes,
    Duration putTimeout,
    WriteDelay writeDelay) {
  private static final long MIN_PENDING_BYTES = 4L << 20;
  private static final long MAX_PENDING_BYTES = 64L << 20;

  /** What an acknowledged put survives. */
  public enum Durability {
    /** The loss of power: puts are forced to disk before they are answered. */
    DISK,
    /** The end of the process, kill -9 included: the system has the data. */
    PROCESS
  }

  public static CommitSettings defaults() {
    return of(Durability.DISK);
  }

  public static CommitSettings of(Durability durability) {
    return new CommitSettings(
        durability,
        500,
        defaultPendingBytes(Runtime.getRuntime().maxMemory()),
        Duration.ofSeconds(5),
        WriteDelay.NONE);
  }

  /** A sixteenth of the heap: what waits is held once more in the group that is written. */
  private static long defaultPendingBytes(long maxHeapBytes) {
    return Math.min(MAX_PENDING_BYTES, Math.max(MIN_PENDING_BYTES, maxHeapBytes / 16));
  }

  /** The same, with a writer that is so much slower for each group. */
  public CommitSettings slowedBy(WriteDelay delay) {
    return new CommitSettings(durability, groupSize, maxPendingBytes, putTimeout, delay);
  }

  /**
   * How much slower than it is a writer is made. Immutable.
   *
   * @param length added to each group; zero for an honest node
   * @param whileExists the file that must be there for it to hold, so that a drill can begin and
   *     end it while the node runs; empty for always
   */
  public record WriteDelay(Duration length, Optional<Path> whileExists) {
    /** The writer as it is. */
    public static final WriteDelay NONE = always(Duration.ZERO);

    /** A writer that is slower for as long as it runs. */
    public static WriteDelay always(Duration length) {
      return new WriteDelay(length, Optional.empty());
    }

    /** What the next group takes longer; may look for the file. */
    Duration now() {
      boolean holds = !length.isZero() && whileExists.map(Files::exists).orElse(true);
      return holds ? length : Duration.ZERO;
    }
  }
}
