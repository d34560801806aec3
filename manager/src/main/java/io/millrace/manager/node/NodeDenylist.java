package io.millrace.manager.node;

import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What definitions nodes are closed to, as the register shows it. */
@FunctionalInterface
public interface NodeDenylist {
  /** Nobody is closed to anything. */
  NodeDenylist NONE = handle -> Map.of();

  /** Closures that are not over, by node. */
  Map<UUID, List<DenylistEntry>> byNode(Handle handle);
}
