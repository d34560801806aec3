package io.millrace.platform.membership;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that holds the last topology, so that a node that restarts while no central manager
 * answers knows its queues. Losing it loses nothing; failures are logged and otherwise ignored.
 */
public final class TopologyMemory {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopologyMemory.class);

  private final Path file;

  public TopologyMemory(Path file) {
    this.file = file;
  }

  /** What was written last; empty when nothing readable is there. */
  public Optional<Topology> read() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Json.read(Files.readAllBytes(file), Topology.class));
    } catch (IOException | MillraceException e) {
      LOGGER.warn("the remembered topology in {} is not readable; it will be asked for", file, e);
      return Optional.empty();
    }
  }

  /** Replaces what was written; a crash leaves the old or the new one. */
  public void write(Topology topology) {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(next, Json.writeBytes(topology));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOGGER.warn("the topology could not be remembered in {}", file, e);
    }
  }
}
