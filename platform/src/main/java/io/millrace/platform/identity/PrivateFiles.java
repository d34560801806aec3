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
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Writes files that only their owner can read (mode 0600), completely or not at all. */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.range(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_EXECUTE);

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

  /**
   * Creates a folder that only its owner can open (mode 0700), unless it exists.
   *
   * @throws MillraceException CONFIGURATION if it cannot be created
   */
  public static void makeFolder(Path folder) {
    try {
      make(folder);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "cannot create the folder " + folder + ": " + e, e);
    }
  }

  /**
   * Whether only its owner has access to the file or folder, by its mode. True where files have no
   * modes.
   *
   * @throws MillraceException CONFIGURATION if the file does not exist or its mode cannot be read
   */
  public static boolean isPrivate(Path file) {
    return modes(file)
        .map(attributes -> Collections.disjoint(attributes.permissions(), OTHERS))
        .orElse(true);
  }

  /**
   * Whether others than its owner may create and replace files in the folder, by its mode.
   *
   * @throws MillraceException CONFIGURATION if its mode cannot be read
   */
  public static boolean isWritableByOthers(Path folder) {
    return modes(folder)
        .map(PosixFileAttributes::permissions)
        .filter(
            granted ->
                granted.contains(PosixFilePermission.GROUP_WRITE)
                    || granted.contains(PosixFilePermission.OTHERS_WRITE))
        .isPresent();
  }

  /** Empty where files have no modes. */
  private static Optional<PosixFileAttributes> modes(Path path) {
    try {
      return Optional.of(Files.readAttributes(path, PosixFileAttributes.class));
    } catch (UnsupportedOperationException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "cannot read the mode of " + path + ": " + e, e);
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
