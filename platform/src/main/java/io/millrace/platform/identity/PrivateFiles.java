package io.millrace.platform.identity;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Writes files that only their owner can read (mode 0600), completely or not at all. */
public final class PrivateFiles {
  private PrivateFiles() {}

  /**
   * Runs the work under an exclusive lock of the folder, across threads and processes; creates the
   * folder (mode 0700) if necessary. Blocks until the lock is free.
   */
  public static void exclusively(Path folder, Runnable work) {
    Path path = folder.toAbsolutePath().normalize();
    // A file lock belongs to the process, not to the thread.
    synchronized (PrivateFiles.class) {
      try {
        make(path);
        try (FileChannel channel =
                FileChannel.open(
                    path.resolve(".lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    mode("rw-------"));
            FileLock held = channel.lock()) {
          if (held.isValid()) {
            work.run();
          }
        }
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, "cannot lock the folder " + path + ": " + e, e);
      }
    }
  }

  private static void make(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      Files.createDirectories(folder, mode("rwx------"));
    }
  }

  /** Replaces the file's content; creates its folder (mode 0700) if necessary. */
  public static void write(Path file, String content) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      make(folder);
      Path next =
          Files.createTempFile(folder, file.getFileName().toString(), ".next", mode("rw-------"));
      try {
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
          ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          // Otherwise the file might be empty after a loss of power.
          channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(next);
      }
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "cannot write " + file + ": " + e, e);
    }
  }

  private static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}
