package io.millrace.manager.node;

import io.millrace.api.node.NodeClosure;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What definitions nodes are closed to, as the register shows it. */
@FunctionalInterface
public interface NodeClosures {
  /** Nobody is closed to anything. */
  NodeClosures NONE = handle -> Map.of();

  /** Closures that are not over, by node. */
  Map<UUID, List<NodeClosure>> byNode(Handle handle);
}
