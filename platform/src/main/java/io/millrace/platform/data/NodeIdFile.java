package io.millrace.platform.data;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/** Keeps the id of the node to which a data directory belongs (M-05). Reads and writes the disk. */
public final class NodeIdFile {
  private static final String FILE = "node-id";

  private NodeIdFile() {}

  /**
   * Claims the directory for the node, and creates it if there is none.
   *
   * @throws MillraceException CONFIGURATION if it belongs to another node, or the file can't be
   *     read or written
   */
  public static void claim(Path dataDirectory, NodeIdentity node) {
    Optional<UUID> owner = read(dataDirectory);
    if (owner.isEmpty()) {
      write(dataDirectory, node.id());
    } else if (!owner.get().equals(node.id())) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          ("the data directory %s belongs to node %s, but the identity of %s is %s; use the identity"
                  + " with which the directory was created, or another directory")
              .formatted(dataDirectory, owner.get(), node.name(), node.id()));
    }
  }

  /**
   * The id of the directory's node; a new one if it has none.
   *
   * @throws MillraceException CONFIGURATION when it can't be read or written
   */
  public static UUID ensure(Path dataDirectory) {
    return ensure(dataDirectory, UUID.randomUUID());
  }

  /**
   * The id of the directory's node; this one from now on if it has none.
   *
   * @throws MillraceException CONFIGURATION when it can't be read or written
   */
  public static UUID ensure(Path dataDirectory, UUID id) {
    return read(dataDirectory).orElseGet(() -> write(dataDirectory, id));
  }

  private static UUID write(Path dataDirectory, UUID id) {
    PrivateFiles.write(dataDirectory.resolve(FILE), id + "\n");
    return id;
  }

  /**
   * The id of the directory's node; empty if it has none.
   *
   * @throws MillraceException CONFIGURATION when it can't be read
   */
  public static Optional<UUID> read(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        // Opening a pipe would block until another process writes to it.
        throw new IOException("it is not a regular file");
      }
      return Optional.of(UUID.fromString(Files.readString(file).strip()));
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
  }
}
