package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.weight.QueueNodeCommands;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;

/** Shows queue nodes, and commands of operators on them. */
public final class QueueNodeRoutes {
  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the node's name");
  private static final RequestParameter<Boolean> FORCE =
      RequestParameter.flag("force", "gives up the events that it held");

  private final QueueNodes nodes;
  private final QueueNodeCommands commands;

  public QueueNodeRoutes(QueueNodes nodes, QueueNodeCommands commands) {
    this.nodes = nodes;
    this.commands = commands;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queue-nodes", Role.readers(), ctx -> Requests.answer(ctx, nodes.all()))
            .described(
                named("listQueueNodes", "All queue nodes with status, load and segments")
                    .answersListOf(QueueNodeView.class)),
        Route.get(
                "/v1/queue-nodes/{name}",
                Role.readers(),
                ctx -> Requests.answer(ctx, nodes.require(name(ctx))))
            .described(
                named("showQueueNode", "One queue node")
                    .reads(NAME)
                    .answers(QueueNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE)),
        Route.post(
                "/v1/queue-nodes/{name}/drain",
                Role.operators(),
                ctx -> Requests.answer(ctx, commands.drain(name(ctx), command(ctx), actor(ctx))))
            .described(
                named("drainQueueNode", "Makes the node give all its weight away")
                    .reads(NAME)
                    .mayTake(NodeCommand.class)
                    .answers(QueueNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.post(
                "/v1/queue-nodes/{name}/undrain",
                Role.operators(),
                ctx -> Requests.answer(ctx, commands.undrain(name(ctx), actor(ctx))))
            .described(
                named("undrainQueueNode", "Ends draining or maintenance")
                    .reads(NAME)
                    .answers(QueueNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.post(
                "/v1/queue-nodes/{name}/maintenance",
                Role.operators(),
                ctx -> Requests.answer(ctx, commands.maintain(name(ctx), command(ctx), actor(ctx))))
            .described(
                named("maintainQueueNode", "Announces that the node is away for a time")
                    .reads(NAME)
                    .mayTake(NodeCommand.class)
                    .answers(QueueNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.delete("/v1/queue-nodes/{name}", Role.operators(), this::forget)
            .described(
                named("forgetQueueNode", "Forgets a lost node")
                    .reads(NAME, FORCE)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)));
  }

  private void forget(Context ctx) {
    commands.forget(name(ctx), Requests.value(ctx, FORCE), actor(ctx));
    ctx.status(204);
  }

  /** A missing body means no options. */
  private static NodeCommand command(Context ctx) {
    return Requests.body(ctx).length == 0
        ? new NodeCommand(null, null)
        : Requests.json(ctx, NodeCommand.class);
  }

  private static String name(Context ctx) {
    return Requests.value(ctx, NAME);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
