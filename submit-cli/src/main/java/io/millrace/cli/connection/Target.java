package io.millrace.cli.connection;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Which servers to ask, and with what.
 *
 * @param servers tried in order
 * @param tokenFile null when none is known
 */
public record Target(List<URI> servers, Path tokenFile) {
  public Target {
    servers = List.copyOf(servers);
  }
}
