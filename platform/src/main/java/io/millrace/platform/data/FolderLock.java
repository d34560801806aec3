package io.millrace.platform.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Keeps others off a folder, until it is closed, by a lock on a file in it. The lock is the
 * operating system's, so that it ends with the process, however that ends. Thread-safe.
 */
public final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock without waiting, and makes its file if need be; empty when somebody else holds
   * it, in this process or in another.
   *
   * @param file in an existing folder; stays when the lock is given back
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

  /** Gives the lock back; does nothing the second time. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
