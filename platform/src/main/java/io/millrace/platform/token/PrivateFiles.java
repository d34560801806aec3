package io.millrace.platform.token;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Writes files that only their owner can read (mode 0600), whole or not at all. */
public final class PrivateFiles {
  private PrivateFiles() {}

  /** Replaces the file's content; makes its folder (mode 0700) when needed. */
  public static void write(Path file, String content) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (!Files.exists(folder)) {
        Files.createDirectories(folder, mode("rwx------"));
      }
      Path next =
          Files.createTempFile(folder, file.getFileName().toString(), ".next", mode("rw-------"));
      Files.writeString(next, content);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "cannot write " + file + ": " + e, e);
    }
  }

  private static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}
