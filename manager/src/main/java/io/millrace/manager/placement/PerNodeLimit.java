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
 * The limit of a queue's workers on one execution node, as a consumable of which every node has as
 * many as the queue allows. The number is part of the name, so that nodes need not be configured;
 * the blanks in the name distinguish it from resources of nodes and jobs. Pure.
 */
@Pure
public final class PerNodeLimit {
  private static final Pattern NAME =
      Pattern.compile("place of queue .+ \\((\\d{1,7}) per node\\)");

  private PerNodeLimit() {}

  /** What one worker of the queue takes; nothing if their number is not limited (0). */
  public static Map<String, Integer> of(String queue, int maxPerNode) {
    return maxPerNode == 0
        ? Map.of()
        : Map.of("place of queue " + queue + " (" + maxPerNode + " per node)", 1);
  }

  /** The node's capacity with those of the names that are such limits. */
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
