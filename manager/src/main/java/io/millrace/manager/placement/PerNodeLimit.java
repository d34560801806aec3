package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Places of a queue's workers on one execution node: a consumable that every node has as many of as
 * the queue allows on one. The number is part of the name, so that no node has to know of it; the
 * blanks in it keep it apart from what nodes and jobs may name. Pure.
 */
@Pure
public final class PerNodeLimit {
  private static final Pattern NAME =
      Pattern.compile("place of queue .+ \\((\\d{1,7}) per node\\)");

  private PerNodeLimit() {}

  /** What one worker of the queue takes; nothing when it may have any number on a node (0). */
  public static Map<String, Integer> of(String queue, int maxPerNode) {
    return maxPerNode == 0
        ? Map.of()
        : Map.of("place of queue " + queue + " (" + maxPerNode + " per node)", 1);
  }

  /** The node's capacity with as many of these as every node has; other names are left out. */
  public static NodeCapacity in(NodeCapacity node, Set<String> names) {
    Map<String, Integer> all = new HashMap<>(node.resources());
    for (String name : names) {
      limit(name).ifPresent(limit -> all.put(name, limit));
    }
    return all.size() == node.resources().size()
        ? node
        : new NodeCapacity(node.slots(), node.cpus(), node.memoryBytes(), all, node.onlyAsked());
  }

  private static OptionalInt limit(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches()
        ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
        : OptionalInt.empty();
  }
}
