package io.millrace.manager.insight;

import io.millrace.api.Json;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.node.NodeRegistry.RegisteredNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The load balancers and their reports. Thread-safe; every method blocks on the database. */
public final class LoadBalancers {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private final NodeRegistry registry;

  public LoadBalancers(NodeRegistry registry) {
    this.registry = registry;
  }

  /** Records a report, which renews the balancer's lease. */
  public void accept(BalancerReport report, RequestNumber request) {
    registry.renew(
        NodeKind.BALANCER,
        report.id(),
        report.name(),
        report.address(),
        Json.write(report),
        request,
        LEASE);
  }

  /** A load balancer is stopping. */
  public void leave(UUID id, RequestNumber request) {
    registry.leave(id, request);
  }

  /** Load balancers that are lost and not forgotten yet, without those that were stopped. */
  public List<RegisteredNode> lost() {
    return registry.nodes(NodeKind.BALANCER).stream()
        .filter(RegisteredNode::lost)
        .filter(node -> node.report() != null)
        .toList();
  }

  /** The last reports of live load balancers, by name. */
  public List<BalancerReport> live() {
    return registry.nodes(NodeKind.BALANCER).stream()
        .filter(RegisteredNode::employed)
        .filter(node -> node.report() != null)
        .map(node -> Json.read(node.report(), BalancerReport.class))
        .toList();
  }
}
