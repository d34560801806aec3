package io.millrace.executor.node;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.lifecycle.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps a second agent off the data directory: it would take the first one's processes for strays
 * and kill them. The system frees the lock when the process dies.
 */
final class DataLock implements Service {
  private final Path file;
  // Guarded by this.
  private FileChannel channel;

  DataLock(Path dataDirectory) {
    this.file = dataDirectory.resolve("lock");
  }

  @Override
  public synchronized void start() {
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!lock()) {
        channel.close();
        throw new MillraceException(
            ErrorCode.CONFIGURATION,
            "another execution node uses " + file.getParent() + "; stop it or use another folder");
      }
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "cannot lock " + file + ": " + e, e);
    }
  }

  @Override
  public synchronized void stop() {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unlock " + file, e);
      }
    }
  }

  private boolean lock() throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException inThisJvm) {
      return false;
    }
  }
}
