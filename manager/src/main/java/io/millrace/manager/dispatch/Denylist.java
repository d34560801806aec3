package io.millrace.manager.dispatch;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Says which nodes are closed to jobs of which definitions. Thread-safe. */
@FunctionalInterface
public interface Denylist {
  /** No node is closed to anything. */
  Denylist NONE = (handle, now) -> Map.of();

  /** Why nodes are closed: by node, then by definition, in words that follow the node's name. */
  Map<UUID, Map<String, String>> reasons(Handle handle, Instant now);

  /**
   * What nodes take one job of, because they were closed to it until now: by node, then by
   * definition, in words that follow the node's name.
   */
  default Map<UUID, Map<String, String>> trials(Handle handle, Instant now) {
    return Map.of();
  }
}
