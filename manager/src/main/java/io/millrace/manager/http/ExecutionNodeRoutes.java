package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.node.AttemptReport.ReportAnswer;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeAllowance;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
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
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Requests of execution nodes, and commands of operators on them. */
public final class ExecutionNodeRoutes {
  private static final Set<Role> NODE = EnumSet.of(Role.EXECUTION_NODE);

  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the node's name");
  private static final RequestParameter<UUID> ID =
      RequestParameter.pathId("id", "the node's own id");

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
    List<Route> routes = new ArrayList<>(commandRoutes());
    routes.addAll(nodeRoutes());
    return List.copyOf(routes);
  }

  private List<Route> commandRoutes() {
    return List.of(
        Route.get("/v1/execution-nodes", Role.readers(), this::list)
            .described(
                named("listExecutionNodes", "All execution nodes with status and bookings")
                    .answersListOf(ExecutionNodeView.class)),
        Route.get("/v1/execution-nodes/{name}", Role.readers(), this::one)
            .described(
                named("showExecutionNode", "One execution node")
                    .reads(NAME)
                    .answers(ExecutionNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE)),
        Route.post("/v1/execution-nodes/{name}/drain", Role.operators(), this::drain)
            .described(
                named("drainExecutionNode", "No new jobs on the node")
                    .reads(NAME)
                    .mayTake(NodeCommand.class)
                    .answers(ExecutionNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.post("/v1/execution-nodes/{name}/undrain", Role.operators(), this::undrain)
            .described(
                named("undrainExecutionNode", "Ends draining or maintenance")
                    .reads(NAME)
                    .answers(ExecutionNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.post("/v1/execution-nodes/{name}/allow", Role.operators(), this::allow)
            .described(
                named("allowOnExecutionNode", "Lifts the denial of a definition or a user")
                    .reads(NAME)
                    .takes(NodeAllowance.class)
                    .answers(ExecutionNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)),
        Route.post("/v1/execution-nodes/{name}/maintenance", Role.operators(), this::maintain)
            .described(
                named("maintainExecutionNode", "Announces that the node is away for a time")
                    .reads(NAME)
                    .mayTake(NodeCommand.class)
                    .answers(ExecutionNodeView.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.CONFLICT)));
  }

  private List<Route> nodeRoutes() {
    return List.of(
        Route.post("/v1/execution-nodes", NODE, this::register)
            .described(
                named("registerExecutionNode", "Registers a node with the attempts that it runs")
                    .reads(NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .takes(NodeRegistration.class)
                    .answers(RegistrationAnswer.class)
                    .refuses(ErrorCode.STALE_REQUEST, ErrorCode.CONFLICT)),
        Route.post("/v1/execution-nodes/{id}/poll", NODE, this::poll)
            .described(
                named("pollWork", "Requests work; the heartbeat of a node")
                    .reads(ID, NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .takes(PollRequest.class)
                    .answers(PollAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.STALE_REQUEST)),
        Route.post("/v1/execution-nodes/{id}/reports", NODE, this::report)
            .described(
                named("reportAttempts", "Starts and ends of attempts")
                    .reads(ID)
                    .takes(ReportRequest.class)
                    .answers(ReportAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_NODE)),
        Route.delete("/v1/execution-nodes/{id}", NODE, this::deregister)
            .described(
                named("deregisterExecutionNode", "The node is stopping")
                    .reads(ID, NodeRequests.INCARNATION, NodeRequests.SEQUENCE)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.STALE_REQUEST)));
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

  private void allow(Context ctx) {
    NodeAllowance allowance = Requests.json(ctx, NodeAllowance.class);
    Requests.answer(ctx, commands.allow(name(ctx), allowance, actor(ctx)));
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
    return Requests.value(ctx, NAME);
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
    UUID id = Requests.value(ctx, ID);
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
