package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * The node's secrets: one file for each, named by jobs. What is in them is never logged, recorded
 * or told.
 *
 * @param folder where they are
 */
record SecretFolder(Path folder) {
  private static final int LONGEST = 128 * 1024;
  private static final Set<PosixFilePermission> OWNERS =
      Set.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  /** The secret without the end of its last line; reads the disk. */
  String read(String name) {
    try {
      Path file = folder.resolve(name).toRealPath();
      if (!file.startsWith(folder.toRealPath()) || !Files.isRegularFile(file)) {
        throw refused(name, "it is not a file in the folder " + folder);
      }
      if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
        throw refused(name, "others than its owner may use the file; run chmod 600 on it");
      }
      if (Files.size(file) > LONGEST) {
        throw refused(name, "it is longer than " + LONGEST + " bytes");
      }
      String text = Files.readString(file);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (InvalidPathException e) {
      throw refused(name, "that is no name of a file");
    } catch (IOException e) {
      throw refused(name, "it cannot be read from the folder " + folder + " on this node");
    }
  }

  private static MillraceException refused(String name, String why) {
    return new MillraceException(ErrorCode.CONFIGURATION, "secret '" + name + "': " + why);
  }
}
