package io.millrace.queuenode.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.FolderLock;
import io.millrace.platform.membership.TopologyMemory;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a restored store in files in the place of a queue node's store, also after the process that
 * restored it has died. Not thread-safe; all methods block on the disk.
 */
final class StoreReplacement {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoreReplacement.class);

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final QueueNodeSettings settings;
  private final Clock clock;
  private final Path data;
  private final Path target;
  // A store with this name is whole, and put in its place by whoever opens the store next.
  private final Path whole;

  StoreReplacement(QueueNodeSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.data = settings.dataDirectory();
    this.target = NodeStore.folder(settings);
    this.whole = data.resolve("store.restored");
  }

  /** The folder whose store is opened next. */
  Path next() {
    return Files.exists(whole) ? whole : target;
  }

  /**
   * Held while a node opens its store, and during a restoration.
   *
   * @throws MillraceException STORE_FAILURE if another process holds it
   */
  FolderLock lock() {
    try {
      Files.createDirectories(data);
      return FolderLock.tryTake(data.resolve("restore.lock"))
          .orElseThrow(
              () ->
                  new MillraceException(
                      ErrorCode.STORE_FAILURE,
                      "the store in %s is being restored or opened by another process; try again when that has ended"
                          .formatted(data)));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the folder " + data + " cannot be used: " + e + "; check owner and mode",
          e);
    }
  }

  /**
   * Checks that no queue node uses the store.
   *
   * @throws MillraceException STORE_FAILURE if one does
   */
  void requireUnused() {
    unused().ifPresent(StoreReplacement::release);
  }

  /**
   * Opens the node's store, after finishing a replacement that was interrupted.
   *
   * @throws MillraceException STORE_FAILURE if a queue node uses the store or it is being restored
   */
  SegmentStore open() {
    FolderLock lock = lock();
    try {
      finishEarlier();
      return LogSegmentStore.open(target, settings.store().batchesRemembered(), clock);
    } finally {
      release(lock);
    }
  }

  /** Finishes a replacement that was interrupted when the restored store was whole, if any. */
  void finishEarlier() {
    if (Files.exists(whole)) {
      Optional<FolderLock> replaced = unused();
      try {
        swap();
      } finally {
        replaced.ifPresent(StoreReplacement::release);
      }
    }
  }

  /**
   * Replaces the store by this one; the former one remains beside it, under another name.
   *
   * @throws MillraceException STORE_FAILURE if a queue node uses the store; then nothing is
   *     changed, also not by a later opening
   */
  void by(Path restored) {
    // Before anything is renamed: what is refused must not be finished later.
    Optional<FolderLock> replaced = unused();
    try {
      move(restored, whole);
      swap();
    } finally {
      replaced.ifPresent(StoreReplacement::release);
    }
  }

  private void swap() {
    if (Files.exists(target)) {
      Path aside = aside();
      move(target, aside);
      LOGGER.warn(
          "the store in {} is replaced by a restored one; it is kept in {}, where no queue node"
              + " uses it",
          target,
          aside);
    } else {
      LOGGER.warn("a restored store is put in its place, {}", target);
    }
    forgetDeletions(settings);
    move(whole, target);
  }

  /**
   * What was deleted since the backup is not deleted any more. Not before the restored store is
   * whole: a node whose restoration was given up must still refuse what it has reported to refuse.
   */
  static void forgetDeletions(QueueNodeSettings settings) {
    try {
      Files.deleteIfExists(TopologyMemory.in(settings.dataDirectory()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path aside() {
    String name = "store.before-restore-" + STAMP.format(clock.now());
    Path free = data.resolve(name);
    for (int i = 2; Files.exists(free); i++) {
      free = data.resolve(name + "-" + i);
    }
    return free;
  }

  /** The lock of the store in place; empty if there is none. */
  private Optional<FolderLock> unused() {
    if (!Files.exists(target)) {
      return Optional.empty();
    }
    try {
      Optional<FolderLock> lock = FolderLock.tryTake(target.resolve("lock"));
      if (lock.isEmpty()) {
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "a queue node uses the store in %s, which a restoration is to replace; stop that node first"
                .formatted(target));
      }
      return lock;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void release(FolderLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Renames a folder, so that a power failure does not undo it. */
  private static void move(Path from, Path to) {
    try {
      Files.move(from, to);
      try (FileChannel folder = FileChannel.open(to.toAbsolutePath().getParent())) {
        folder.force(true);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
