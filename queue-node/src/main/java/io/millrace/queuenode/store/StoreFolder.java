package io.millrace.queuenode.store;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The folder of a store, held by one process at a time. The lock is the operating system's, so that
 * it ends with the process, however that ends.
 */
final class StoreFolder implements AutoCloseable {
  private static final String DATABASE = "events";

  private final Path folder;
  private final FileChannel channel;

  private StoreFolder(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /**
   * Makes the folder if need be, and locks it.
   *
   * @throws MillraceException STORE_FAILURE when somebody else has it open or it can't be written
   */
  static StoreFolder lock(Path folder) {
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locked(channel)) {
        channel.close();
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "the store in "
                + folder
                + " is open already; stop the other queue node that uses this folder, or give this"
                + " one a data directory of its own");
      }
      return new StoreFolder(folder, channel);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the store's folder " + folder + " cannot be used: " + e + "; check owner and mode",
          e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Held by this very process: an embedded second node.
      return false;
    }
  }

  Path path() {
    return folder;
  }

  Path database() {
    return folder.resolve(DATABASE);
  }

  /**
   * Refuses a folder whose store has gone: a disk that is not mounted, or a file cut to nothing,
   * must not become an empty store.
   */
  void requireWhole() {
    Path file = folder.resolve(DATABASE + ".mv.db");
    try {
      boolean gone = !Files.exists(file) || Files.size(file) == 0;
      if (gone && Files.exists(mark())) {
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "the store in "
                + folder
                + " was opened before but "
                + file.getFileName()
                + " is missing or empty; bring the file back, or remove "
                + mark()
                + " to begin with an empty store");
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE, "the store in " + folder + " cannot be read: " + e, e);
    }
  }

  /** Notes that the folder holds a store from now on. */
  void mark(String words) {
    try {
      Files.writeString(mark(), words);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE, "the store's folder " + folder + " cannot be written: " + e, e);
    }
  }

  private Path mark() {
    return folder.resolve("opened");
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreFailure("the lock of " + folder + " could not be freed", e);
    }
  }
}
