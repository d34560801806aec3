package io.millrace.cli.server;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The data directory of one {@code up}, locked against a second one while it is open. */
final class DataDirectory implements AutoCloseable {
  private final Path path;
  private final FileChannel lock;

  private DataDirectory(Path path, FileChannel lock) {
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
      FileChannel channel =
          FileChannel.open(
              path.resolve("up.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locked(channel)) {
        channel.close();
        throw problem("another 'millrace up' runs on " + path + "; stop it, or use another --data");
      }
      return new DataDirectory(path, channel);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "the data directory " + path + " cannot be used: " + e, e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static MillraceException problem(String words) {
    return new MillraceException(ErrorCode.CONFIGURATION, words);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
