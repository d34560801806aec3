package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Problems of pools whose jobs no execution node takes. Pure. */
final class PoolProblems {
  private static final String CODE = "POOL_WITHOUT_NODE";
  private static final int MAX_NAMES = 3;

  private final SortedMap<String, List<ExecutionNodeView>> served;
  private final Set<String> lost;

  private PoolProblems(SortedMap<String, List<ExecutionNodeView>> served, Set<String> lost) {
    this.served = served;
    this.lost = lost;
  }

  /** Of pools with these nodes; lost ones serve none. */
  static PoolProblems of(Collection<ExecutionNodeView> nodes) {
    SortedMap<String, List<ExecutionNodeView>> served = new TreeMap<>();
    for (ExecutionNodeView node : nodes) {
      if (!node.lost()) {
        node.pools()
            .forEach(pool -> served.computeIfAbsent(pool, none -> new ArrayList<>()).add(node));
      }
    }
    Set<String> lost =
        nodes.stream()
            .filter(ExecutionNodeView::lost)
            .flatMap(node -> node.pools().stream())
            .collect(Collectors.toSet());
    return new PoolProblems(served, lost);
  }

  // Not if one of them was lost: what stands still then does so because of that.
  private boolean outOfService(String pool) {
    List<ExecutionNodeView> nodes = served.getOrDefault(pool, List.of());
    return !nodes.isEmpty()
        && !lost.contains(pool)
        && nodes.stream().noneMatch(node -> node.status() == NodeStatus.ACTIVE);
  }

  /** Pools with waiting jobs and no node. */
  List<Alert> withoutNode(Collection<String> waiting, int limit) {
    return waiting.stream()
        .filter(pool -> !served.containsKey(pool))
        .limit(limit)
        .map(this::withoutNode)
        .toList();
  }

  private Alert withoutNode(String pool) {
    return new Alert(
        CODE,
        pool,
        "jobs wait for pool %s, which no active execution node serves; %s. Add %s to a node's pools, or submit to another pool"
            .formatted(
                pool,
                served.isEmpty()
                    ? "no execution node is active"
                    : "active ones serve " + String.join(", ", served.keySet()),
                pool));
  }

  /**
   * Pools of which operators have taken every node out of service while jobs wait for them.
   *
   * @param unavailable since when jobs of pools wait for nodes that take none
   * @param before the wait must have begun until then
   */
  List<Alert> outOfService(Map<String, Instant> unavailable, Instant before, Instant now) {
    return new TreeMap<>(unavailable)
        .entrySet().stream()
            .filter(pool -> outOfService(pool.getKey()))
            .filter(pool -> !pool.getValue().isAfter(before))
            .map(pool -> outOfService(pool.getKey(), pool.getValue(), now))
            .toList();
  }

  private Alert outOfService(String pool, Instant since, Instant now) {
    List<ExecutionNodeView> nodes = served.get(pool);
    String named =
        nodes.stream()
            .limit(MAX_NAMES)
            .map(node -> node.name() + " is " + status(node))
            .collect(Collectors.joining("; "));
    int more = nodes.size() - MAX_NAMES;
    return new Alert(
            CODE,
            pool,
            "jobs have waited for pool %s for %s, and every execution node of it is out of service: %s%s. 'millrace node undrain %s' lets one take jobs again"
                .formatted(
                    pool,
                    Durations.format(Duration.ofSeconds(Duration.between(since, now).toSeconds())),
                    named,
                    more > 0 ? " and " + more + " more" : "",
                    nodes.get(0).name()))
        .since(since);
  }

  private static String status(ExecutionNodeView node) {
    return switch (node.status()) {
      case DRAINED -> "drained";
      case MAINTENANCE -> "in maintenance until " + node.statusUntil();
      default -> "draining";
    };
  }
}
