package io.millrace.platform.http;

import io.millrace.platform.identity.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How many request bodies of known callers may be arriving: users with their programs, and nodes.
 * Neither can keep the others from sending: a node that cannot report is lost. Thread-safe; never
 * blocks.
 */
final class BodyReaders {
  private final Map<Group, Integer> max;
  private final int maxOfNode;
  // Guarded by this; only of those with a body that is arriving.
  private final Map<Group, Integer> reading = new HashMap<>();
  private final Map<UUID, Integer> ofNode = new HashMap<>();

  private enum Group {
    USERS,
    NODES
  }

  /**
   * Nobody is sending.
   *
   * @param maxOfNode of all bodies of nodes, those of a single one
   */
  BodyReaders(int users, int nodes, int maxOfNode) {
    this.max = Map.of(Group.USERS, users, Group.NODES, nodes);
    this.maxOfNode = maxOfNode;
  }

  /** Admits another body unless too many are arriving; then {@link #end} must follow. */
  synchronized boolean begin(Principal caller) {
    Group group = group(caller);
    boolean full = reading.getOrDefault(group, 0) >= max.get(group);
    if (full || (group == Group.NODES && ofNode.getOrDefault(id(caller), 0) >= maxOfNode)) {
      return false;
    }
    reading.merge(group, 1, Integer::sum);
    if (group == Group.NODES) {
      ofNode.merge(id(caller), 1, Integer::sum);
    }
    return true;
  }

  /** A body has arrived or was refused. */
  synchronized void end(Principal caller) {
    Group group = group(caller);
    reading.merge(group, -1, Integer::sum);
    if (group == Group.NODES) {
      ofNode.computeIfPresent(id(caller), (node, count) -> count == 1 ? null : count - 1);
    }
  }

  private static Group group(Principal caller) {
    return caller.node().isPresent() ? Group.NODES : Group.USERS;
  }

  private static UUID id(Principal node) {
    return node.node().orElseThrow();
  }
}
