package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.supervision.AttemptDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Creates folders on the way to the working directories of jobs. Stateless; logs nothing, because
 * the folder of the log may be among them.
 */
public final class JobFolders {
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private JobFolders() {}

  /**
   * Creates a folder with its missing parents, whatever the umask is: for their owner only, or, if
   * the agent runs jobs as other users, so that these can pass and not list. Folders that exist are
   * not changed.
   *
   * @throws MillraceException CONFIGURATION if it cannot be created
   */
  public static Path create(Path folder, LimitSettings limits) {
    boolean others = isRoot() && limits.namesUsers();
    return others ? createPassable(folder) : create(folder, false);
  }

  /** Creates a folder with its missing parents so that the users of jobs can pass. */
  public static Path createPassable(Path folder) {
    return create(folder, true);
  }

  private static Path create(Path folder, boolean passable) {
    try {
      Deque<Path> missing = new ArrayDeque<>();
      Path next = folder.toAbsolutePath().normalize();
      while (next != null && !Files.exists(next)) {
        missing.push(next);
        next = next.getParent();
      }
      for (Path one : missing) {
        if (createOne(one) && passable) {
          AttemptDirectory.letUsersPass(one);
        }
      }
      // A file in its place is refused.
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "cannot create the folder " + folder + ": " + e, e);
    }
  }

  private static boolean createOne(Path folder) throws IOException {
    try {
      Files.createDirectory(folder, OWNER_ONLY);
      return true;
    } catch (FileAlreadyExistsException createdMeanwhile) {
      return false;
    }
  }

  /** Whether this process runs as root. */
  static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      return false;
    }
  }
}
