package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.node.NodeCommand;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.weight.QueueNodeCommands;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** Shows queue nodes, and commands of operators on them. */
public final class QueueNodeRoutes {
  private final QueueNodes nodes;
  private final QueueNodeCommands commands;

  public QueueNodeRoutes(QueueNodes nodes, QueueNodeCommands commands) {
    this.nodes = nodes;
    this.commands = commands;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queue-nodes", Role.readers(), ctx -> Requests.answer(ctx, nodes.all())),
        Route.get(
            "/v1/queue-nodes/{name}",
            Role.readers(),
            ctx -> Requests.answer(ctx, nodes.require(name(ctx)))),
        Route.post(
            "/v1/queue-nodes/{name}/drain",
            Role.operators(),
            ctx -> Requests.answer(ctx, commands.drain(name(ctx), command(ctx), actor(ctx)))),
        Route.post(
            "/v1/queue-nodes/{name}/undrain",
            Role.operators(),
            ctx -> Requests.answer(ctx, commands.undrain(name(ctx), actor(ctx)))),
        Route.post(
            "/v1/queue-nodes/{name}/maintenance",
            Role.operators(),
            ctx -> Requests.answer(ctx, commands.maintain(name(ctx), command(ctx), actor(ctx)))),
        Route.delete("/v1/queue-nodes/{name}", Role.operators(), this::forget));
  }

  private void forget(Context ctx) {
    commands.forget(name(ctx), Requests.flag(ctx, "force"), actor(ctx));
    ctx.status(204);
  }

  /** A missing body means no options. */
  private static NodeCommand command(Context ctx) {
    return Requests.body(ctx).length == 0
        ? new NodeCommand(null, null)
        : Requests.json(ctx, NodeCommand.class);
  }

  private static String name(Context ctx) {
    return ctx.pathParam("name");
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
