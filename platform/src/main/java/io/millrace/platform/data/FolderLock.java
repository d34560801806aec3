package io.millrace.platform.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * An exclusive lock on a folder, held until it is closed, by a lock on a file in it. The lock is
 * the operating system's, so it ends with the process in any case. Thread-safe.
 */
public final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock without waiting and creates its file if necessary; empty if it is already held,
   * by this process or another.
   *
   * @param file in an existing folder; remains after the lock is released
   */
  public static Optional<FolderLock> tryTake(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!locked(channel)) {
      channel.close();
      return Optional.empty();
    }
    return Optional.of(new FolderLock(channel));
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException inThisProcess) {
      return false;
    }
  }

  /** Releases the lock; does nothing the second time. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
