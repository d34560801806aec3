package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.manager.insight.LoadBalancers;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Receives the reports of queue nodes and load balancers, and tells senders where to send. */
public final class ReportRoutes {
  private static final RequestParameter<UUID> ID =
      RequestParameter.pathId("id", "the node's own id");

  private static final Set<Role> SENDERS =
      Stream.concat(Role.readers().stream(), Stream.of(Role.PRODUCER))
          .collect(Collectors.toUnmodifiableSet());

  private final BiConsumer<QueueNodeReport, RequestNumber> queueNodes;
  private final LoadBalancers balancers;

  public ReportRoutes(
      BiConsumer<QueueNodeReport, RequestNumber> queueNodes, LoadBalancers balancers) {
    this.queueNodes = queueNodes;
    this.balancers = balancers;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/queue-nodes/{id}/report", Set.of(Role.QUEUE_NODE), this::queueNode)
            .described(
                named("reportQueueNode", "Load and segments of a queue node")
                    .reads(ID, NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .takes(QueueNodeReport.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.STALE_REQUEST, ErrorCode.CONFLICT)),
        Route.get("/v1/load-balancers", SENDERS, this::balancers)
            .described(
                named("listLoadBalancers", "Where the running load balancers accept events")
                    .answersListOf(BalancerAddress.class)),
        Route.post("/v1/load-balancers/{id}/report", Set.of(Role.LOAD_BALANCER), this::balancer)
            .described(
                named("reportLoadBalancer", "Address and counts of a load balancer")
                    .reads(ID, NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .takes(BalancerReport.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.STALE_REQUEST, ErrorCode.CONFLICT)),
        Route.delete("/v1/load-balancers/{id}", Set.of(Role.LOAD_BALANCER), this::leave)
            .described(
                named("deregisterLoadBalancer", "The load balancer is stopping")
                    .reads(ID, NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.STALE_REQUEST)));
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

  private void balancers(Context ctx) {
    Requests.answer(
        ctx,
        balancers.live().stream()
            .map(report -> new BalancerAddress(report.name(), report.address()))
            .toList());
  }

  private void leave(Context ctx) {
    UUID id = Requests.value(ctx, ID);
    Requests.requireNode(ctx, id, null);
    balancers.leave(id, NodeRequests.number(ctx));
    ctx.status(204);
  }

  private static void check(Context ctx, UUID id, String name, Object address) {
    if (!Requests.value(ctx, ID).equals(id)) {
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
