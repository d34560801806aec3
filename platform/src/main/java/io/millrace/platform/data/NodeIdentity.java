package io.millrace.platform.data;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.UUID;

/** A node's own id, made once and kept in its data directory (M-05). Reads and writes the disk. */
public final class NodeIdentity {
  private static final String FILE = "node-id";

  private NodeIdentity() {}

  /**
   * Reads the id, or makes one in a folder that has none, and the folder too.
   *
   * @throws MillraceException CONFIGURATION when it can't be read or written
   */
  public static UUID of(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      Files.createDirectories(dataDirectory);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        if (!Files.isRegularFile(file)) {
          // Whoever opens a pipe waits until somebody writes to it.
          throw new IOException("it is not a regular file");
        }
        return UUID.fromString(Files.readString(file).strip());
      }
    } catch (IOException | IllegalArgumentException e) {
      // A new id would make the node forget what runs or waits here.
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file
              + " holds no readable node id: "
              + e
              + "; restore it, or delete it once nothing runs or waits here",
          e);
    }
    UUID id = UUID.randomUUID();
    PrivateFiles.write(file, id + "\n");
    return id;
  }
}
