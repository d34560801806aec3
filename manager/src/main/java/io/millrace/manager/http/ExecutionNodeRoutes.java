package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.node.AttemptReport.ReportAnswer;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.dispatch.PollService;
import io.millrace.manager.job.AttemptReports;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Requests of execution nodes, and commands of operators on them. */
public final class ExecutionNodeRoutes {
  private static final Set<Role> NODE = EnumSet.of(Role.EXECUTION_NODE);

  private final ExecutionNodes nodes;
  private final ExecutionNodeViews views;
  private final ExecutionNodeCommands commands;
  private final PollService polls;
  private final AttemptReports reports;
  private final WakeUps wakeUps;
  private final LongPoll longPoll;
  private final Heartbeat heartbeat;

  public ExecutionNodeRoutes(
      ExecutionNodes nodes,
      ExecutionNodeViews views,
      ExecutionNodeCommands commands,
      PollService polls,
      AttemptReports reports,
      WakeUps wakeUps,
      LongPoll longPoll,
      Heartbeat heartbeat) {
    this.nodes = nodes;
    this.views = views;
    this.commands = commands;
    this.polls = polls;
    this.reports = reports;
    this.wakeUps = wakeUps;
    this.longPoll = longPoll;
    this.heartbeat = heartbeat;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/execution-nodes", Role.readers(), this::list),
        Route.get("/v1/execution-nodes/{name}", Role.readers(), this::one),
        Route.post("/v1/execution-nodes/{name}/drain", Role.operators(), this::drain),
        Route.post("/v1/execution-nodes/{name}/undrain", Role.operators(), this::undrain),
        Route.post("/v1/execution-nodes/{name}/maintenance", Role.operators(), this::maintain),
        Route.post("/v1/execution-nodes", NODE, this::register),
        Route.post("/v1/execution-nodes/{id}/poll", NODE, this::poll),
        Route.post("/v1/execution-nodes/{id}/reports", NODE, this::report),
        Route.delete("/v1/execution-nodes/{id}", NODE, this::deregister));
  }

  private void list(Context ctx) {
    Requests.answer(ctx, views.list());
  }

  private void one(Context ctx) {
    Requests.answer(ctx, views.require(name(ctx)));
  }

  private void drain(Context ctx) {
    Requests.answer(ctx, commands.drain(name(ctx), command(ctx), actor(ctx)));
  }

  private void undrain(Context ctx) {
    Requests.answer(ctx, commands.undrain(name(ctx), actor(ctx)));
  }

  private void maintain(Context ctx) {
    Requests.answer(ctx, commands.maintain(name(ctx), command(ctx), actor(ctx)));
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

  private void register(Context ctx) {
    NodeRegistration registration = Requests.json(ctx, NodeRegistration.class);
    Requests.requireNode(ctx, registration.id(), registration.name());
    Requests.answer(ctx, nodes.register(registration, NodeRequests.number(ctx)));
  }

  private void poll(Context ctx) {
    UUID node = node(ctx);
    PollRequest request = Requests.json(ctx, PollRequest.class);
    RequestNumber number = NodeRequests.number(ctx);
    polls.heartbeat(node, request, number);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> wakeUps.node(node),
                    () -> polls.instructions(node, request, number),
                    ExecutionNodeRoutes::busy,
                    timeout(request))
                .thenAccept(answer -> Requests.answer(ctx, answer)));
  }

  /** The node of the path, which is the caller itself. */
  private UUID node(Context ctx) {
    UUID id = Requests.pathId(ctx, "id");
    Requests.requireNode(ctx, id, null);
    return id;
  }

  // A poll is a heartbeat, so none may take longer than the time to the next one.
  private Duration timeout(PollRequest request) {
    Duration requested = request.patience() == null ? Duration.ZERO : request.patience();
    return requested.compareTo(heartbeat.interval()) < 0 ? requested : heartbeat.interval();
  }

  private static boolean busy(PollAnswer answer) {
    return !answer.start().isEmpty() || !answer.stop().isEmpty();
  }

  private void report(Context ctx) {
    UUID node = node(ctx);
    ReportRequest request = Requests.json(ctx, ReportRequest.class);
    Requests.answer(ctx, new ReportAnswer(reports.take(node, request.reports())));
  }

  private void deregister(Context ctx) {
    nodes.deregister(node(ctx), NodeRequests.number(ctx));
    ctx.status(204);
  }
}
