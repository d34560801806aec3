package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.manager.insight.LoadBalancers;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/** Receives the reports of queue nodes and load balancers. */
public final class ReportRoutes {
  private final BiConsumer<QueueNodeReport, RequestNumber> queueNodes;
  private final LoadBalancers balancers;

  public ReportRoutes(
      BiConsumer<QueueNodeReport, RequestNumber> queueNodes, LoadBalancers balancers) {
    this.queueNodes = queueNodes;
    this.balancers = balancers;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/queue-nodes/{id}/report", Set.of(Role.QUEUE_NODE), this::queueNode),
        Route.post("/v1/load-balancers/{id}/report", Set.of(Role.LOAD_BALANCER), this::balancer));
  }

  private void queueNode(Context ctx) {
    QueueNodeReport report = Requests.json(ctx, QueueNodeReport.class);
    check(ctx, report.id(), report.name(), report.address());
    queueNodes.accept(report, NodeRequests.number(ctx));
    ctx.status(204);
  }

  private void balancer(Context ctx) {
    BalancerReport report = Requests.json(ctx, BalancerReport.class);
    check(ctx, report.id(), report.name(), report.address());
    balancers.accept(report, NodeRequests.number(ctx));
    ctx.status(204);
  }

  private static void check(Context ctx, UUID id, String name, Object address) {
    if (!Requests.pathId(ctx, "id").equals(id)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "the report of " + id + " came under another node's path");
    }
    if (name == null || name.isBlank() || address == null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "the report of " + id + " names no name or no address");
    }
    Requests.requireNode(ctx, id, name);
  }
}
