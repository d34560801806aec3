package io.millrace.platform.data;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.UUID;

/** A node's id, created once and kept in its data directory (M-05). Reads and writes the disk. */
public final class NodeIdentity {
  private static final String FILE = "node-id";

  private NodeIdentity() {}

  /**
   * Reads the id, or creates one, and the folder, if there is none.
   *
   * @throws MillraceException CONFIGURATION when it can't be read or written
   */
  public static UUID of(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      Files.createDirectories(dataDirectory);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        if (!Files.isRegularFile(file)) {
          // Opening a pipe would block until another process writes to it.
          throw new IOException("it is not a regular file");
        }
        return UUID.fromString(Files.readString(file).strip());
      }
    } catch (IOException | IllegalArgumentException e) {
      // With a new id the node would lose what runs or waits here.
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file
              + " contains no readable node id: "
              + e
              + "; restore it, or delete it once nothing runs or waits on this node",
          e);
    }
    UUID id = UUID.randomUUID();
    PrivateFiles.write(file, id + "\n");
    return id;
  }
}
