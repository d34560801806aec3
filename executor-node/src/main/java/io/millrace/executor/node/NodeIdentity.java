package io.millrace.executor.node;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.token.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The node's own id, made once and kept in its data directory (M-05). */
final class NodeIdentity {
  private static final String FILE = "node-id";

  private NodeIdentity() {}

  /** Reads the id, or makes one. */
  static UUID of(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      if (Files.exists(file)) {
        return UUID.fromString(Files.readString(file).strip());
      }
    } catch (IOException | IllegalArgumentException e) {
      // A new id would make the node forget whose processes run here.
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          file + " holds no readable node id; restore it, or delete it once nothing runs here",
          e);
    }
    UUID id = UUID.randomUUID();
    PrivateFiles.write(file, id + "\n");
    return id;
  }
}
