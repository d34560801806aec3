package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.data.FolderLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The data directory of one {@code up}, locked against a second one while it is open. */
final class DataDirectory implements AutoCloseable {
  private final Path path;
  private final FolderLock lock;

  private DataDirectory(Path path, FolderLock lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Makes it if needed, for its owner only, and locks it.
   *
   * @throws MillraceException CONFIGURATION when it is in use or cannot be made
   */
  static DataDirectory open(Path path) {
    try {
      if (!Files.isDirectory(path)) {
        Files.createDirectories(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      FolderLock lock = FolderLock.tryTake(path.resolve("up.lock")).orElseThrow(() -> inUse(path));
      return new DataDirectory(path, lock);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "the data directory " + path + " cannot be used: " + e, e);
    }
  }

  private static MillraceException inUse(Path path) {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        "another 'millrace up' runs on " + path + "; stop it, or use another --data");
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
