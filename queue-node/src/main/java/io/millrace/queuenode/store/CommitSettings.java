package io.millrace.queuenode.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How the committer groups requests.
 *
 * @param durability whether puts wait for the disk
 * @param groupSize the most requests in one transaction
 * @param maxPendingBytes bytes of puts that may be pending at once
 * @param putTimeout how long a put waits for space before it is rejected
 * @param writeDelay added to each group before it is answered: a real delay of the writer that
 *     counts as work in every figure, so that a drill can make a node slow
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
    /** A power failure: puts are forced to disk before they are answered. */
    DISK,
    /** The end of the process, including kill -9: the operating system has the data. */
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

  /** A sixteenth of the heap: pending data is held a second time in the group that is written. */
  private static long defaultPendingBytes(long maxHeapBytes) {
    return Math.min(MAX_PENDING_BYTES, Math.max(MIN_PENDING_BYTES, maxHeapBytes / 16));
  }

  /** The same with a writer that is slowed down by the delay for each group. */
  public CommitSettings slowedBy(WriteDelay delay) {
    return new CommitSettings(durability, groupSize, maxPendingBytes, putTimeout, delay);
  }

  /**
   * By how much a writer is slowed down. Immutable.
   *
   * @param length added to each group; zero for no delay
   * @param whileExists the file that must exist for the delay to apply, so that a drill can switch
   *     it while the node runs; empty for always
   */
  public record WriteDelay(Duration length, Optional<Path> whileExists) {
    /** No delay. */
    public static final WriteDelay NONE = always(Duration.ZERO);

    /** A delay for as long as the writer runs. */
    public static WriteDelay always(Duration length) {
      return new WriteDelay(length, Optional.empty());
    }

    /** The delay of the next group; may check for the file. */
    Duration now() {
      boolean holds = !length.isZero() && whileExists.map(Files::exists).orElse(true);
      return holds ? length : Duration.ZERO;
    }
  }
}
