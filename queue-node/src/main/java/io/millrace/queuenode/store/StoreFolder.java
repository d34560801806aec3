package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.data.FolderLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of a store, locked by one process at a time. */
public final class StoreFolder implements AutoCloseable {
  private final Path folder;
  private final FolderLock lock;

  private StoreFolder(Path folder, FolderLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates the folder if necessary, and locks it.
   *
   * @throws MillraceException STORE_FAILURE if another process has it open or it cannot be written
   */
  public static StoreFolder lock(Path folder) {
    try {
      Files.createDirectories(folder);
      FolderLock lock =
          FolderLock.tryTake(folder.resolve("lock")).orElseThrow(() -> openAlready(folder));
      return new StoreFolder(folder, lock);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the store's folder " + folder + " cannot be used: " + e + "; check owner and mode",
          e);
    }
  }

  private static MillraceException openAlready(Path folder) {
    return new MillraceException(
        ErrorCode.STORE_FAILURE,
        "the store in "
            + folder
            + " is open already; stop the other queue node that uses this folder, or give this"
            + " one its own data directory");
  }

  public Path path() {
    return folder;
  }

  /** Notes that the folder holds a store from now on. */
  public void mark(String content) {
    try {
      Files.writeString(mark(), content);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE, "the store's folder " + folder + " cannot be written: " + e, e);
    }
  }

  /** Whether the folder ever held a store. */
  public boolean isMarked() {
    return Files.exists(mark());
  }

  private Path mark() {
    return folder.resolve("opened");
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new StoreFailure("the lock of " + folder + " could not be freed", e);
    }
  }
}
