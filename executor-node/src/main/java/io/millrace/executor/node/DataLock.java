package io.millrace.executor.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.data.FolderLock;
import io.millrace.platform.lifecycle.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * An exclusive lock of the data directory: a second agent would take the first one's processes for
 * strays and kill them.
 */
final class DataLock implements Service {
  private final Path file;
  // Guarded by this.
  private FolderLock lock;

  DataLock(Path dataDirectory) {
    this.file = dataDirectory.resolve("lock");
  }

  @Override
  public synchronized void start() {
    try {
      lock = FolderLock.tryTake(file).orElseThrow(this::taken);
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "cannot lock " + file + ": " + e, e);
    }
  }

  @Override
  public synchronized void stop() {
    if (lock != null) {
      try {
        lock.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unlock " + file, e);
      }
    }
  }

  private MillraceException taken() {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        "another execution node uses " + file.getParent() + "; stop it or use another folder");
  }
}
