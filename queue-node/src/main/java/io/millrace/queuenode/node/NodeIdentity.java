package io.millrace.queuenode.node;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** The node's own id, made once and kept in its data directory. */
final class NodeIdentity {
  private NodeIdentity() {}

  /** Reads the id, or makes one in a folder that has none. */
  static UUID in(Path dataDirectory) {
    Path file = dataDirectory.resolve("node-id");
    try {
      Files.createDirectories(dataDirectory);
      if (Files.exists(file)) {
        return UUID.fromString(Files.readString(file).strip());
      }
      UUID made = UUID.randomUUID();
      Path next = dataDirectory.resolve("node-id.next");
      Files.writeString(next, made + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      return made;
    } catch (IOException | IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "the node's id in " + file + " cannot be read or written: " + e + "; it must hold a UUID",
          e);
    }
  }
}
