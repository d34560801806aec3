package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionText;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.session.SessionService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of session workers, and those by which operators see and change sessions. */
public final class NodeSessionRoutes {
  static final Set<Role> WORKERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.WORKER);
  static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");
  static final RequestParameter<UUID> WORKER =
      RequestParameter.pathId("worker", "the worker's own id");
  static final RequestParameter<UUID> INCARNATION =
      RequestParameter.value(
              "incarnation", "the process of the worker, as registered", "a UUID", UUID::fromString)
          .demanded();

  private static final Logger LOGGER = LoggerFactory.getLogger(NodeSessionRoutes.class);
  private static final int LONGEST_NAME = 200;

  // Queue managers end workers too.
  private static final Set<Role> ENDERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.MANAGER);
  private static final RequestParameter<String> STATE =
      RequestParameter.choice(
          "state",
          "which sessions; without it all but completed ones",
          null,
          Arrays.stream(SessionState.values())
              .map(state -> state.name().toLowerCase(Locale.ROOT))
              .toList());
  private static final RequestParameter<UUID> OF_WORKER =
      RequestParameter.value("worker", "only sessions of this worker", "a UUID", UUID::fromString);
  private static final RequestParameter<String> AFTER =
      RequestParameter.text("after", "the next of the page before");
  private static final RequestParameter<Long> LIMIT =
      RequestParameter.number("limit", "the most sessions to list", 100, 1, 1_000);
  private static final RequestParameter<String> KEY =
      RequestParameter.text("key", "the session's key").demanded();

  private final SessionService sessions;
  private final SessionStreamRoute streams;

  public NodeSessionRoutes(SessionService sessions) {
    this.sessions = sessions;
    this.streams = new SessionStreamRoute(sessions);
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>(workerRoutes());
    routes.addAll(operatorRoutes());
    routes.add(streams.route());
    return List.copyOf(routes);
  }

  private List<Route> workerRoutes() {
    String worker = "/v1/queues/{queue}/session-workers/{worker}";
    return List.of(
        Route.put(worker, WORKERS, this::register)
            .described(
                named("registerSessionWorker", "Registers a worker; may be repeated")
                    .reads(QUEUE, WORKER)
                    .takes(WorkerRegistration.class)
                    .answers(WorkerRegistered.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.SESSIONS_FULL)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.post(worker + "/polls", WORKERS, this::poll)
            .described(
                named("pollSessions", "Reports results, and waits for events of sessions")
                    .reads(QUEUE, WORKER)
                    .takes(SessionPoll.class)
                    .answers(PollAnswered.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.STALE_REQUEST)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.delete(worker, WORKERS, this::leave)
            .described(
                named("leaveSessions", "A worker gives back its sessions and ends")
                    .reads(QUEUE, WORKER, INCARNATION)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.STORE_FAILURE)));
  }

  private List<Route> operatorRoutes() {
    return List.of(
        Route.post("/v1/queues/{queue}/session-workers/{worker}/retirement", ENDERS, this::retire)
            .described(
                named(
                        "retireSessionWorker",
                        "Retires a worker as if it were lost, or asks it to end")
                    .reads(QUEUE, WORKER)
                    .takes(RetirementRequest.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.STORE_FAILURE)),
        Route.get("/v1/queues/{queue}/session-workers", Role.readers(), this::workers)
            .described(
                named("listSessionWorkers", "The workers of this node's sessions")
                    .reads(QUEUE)
                    .answersListOf(SessionWorkerView.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.get("/v1/queues/{queue}/sessions", Role.readers(), this::list)
            .described(
                named("listSessions", "This node's sessions")
                    .reads(QUEUE, STATE, OF_WORKER, AFTER, LIMIT)
                    .answers(SessionPage.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.get("/v1/queues/{queue}/session", Role.readers(), this::show)
            .described(
                named("showSession", "One session, its events and what happened to it")
                    .reads(QUEUE, KEY)
                    .answers(SessionDetails.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/session-actions", Role.operators(), this::act)
            .described(
                named("changeSession", "Moves a session to another worker, closes or drops it")
                    .reads(QUEUE)
                    .takes(SessionCommand.class)
                    .answers(SessionActed.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.CONFLICT, ErrorCode.STORE_FAILURE)));
  }

  private void register(Context ctx) {
    String queue = ownQueue(ctx);
    WorkerRegistration registration = Requests.json(ctx, WorkerRegistration.class);
    require(
        registration.incarnation() != null,
        "incarnation is missing: choose a UUID at the start of the process");
    require(registration.cap() == null || registration.cap() >= 1, "cap must be at least 1");
    SessionText.require("name", registration.name(), LONGEST_NAME);
    SessionText.require("job", registration.job(), LONGEST_NAME);
    requireOwnJob(Requests.principal(ctx), registration.job());
    Requests.answer(ctx, sessions.register(queue, Requests.value(ctx, WORKER), registration));
  }

  private void poll(Context ctx) {
    String queue = ownQueue(ctx);
    UUID worker = Requests.value(ctx, WORKER);
    SessionPoll poll = Requests.json(ctx, SessionPoll.class);
    // Thousands may wait, so none of them occupies a thread.
    ctx.future(
        () ->
            sessions
                .polls()
                .poll(queue, worker, poll)
                .thenAccept(answer -> Requests.answer(ctx, answer)));
  }

  private void leave(Context ctx) {
    String queue = ownQueue(ctx);
    sessions.leave(queue, Requests.value(ctx, WORKER), Requests.value(ctx, INCARNATION));
    ctx.status(204);
  }

  private void retire(Context ctx) {
    RetirementRequest request = Requests.json(ctx, RetirementRequest.class);
    String queue = Requests.value(ctx, QUEUE);
    UUID worker = Requests.value(ctx, WORKER);
    sessions.retire(queue, worker, request, Requests.principal(ctx).subject());
    LOGGER.info(
        "{} {} session worker {} of {}: {}",
        Requests.principal(ctx).subject(),
        request.ask() ? "asked to end the" : "retired",
        worker,
        queue,
        SessionService.recorded(request.reason()));
    ctx.status(204);
  }

  private void workers(Context ctx) {
    Requests.answer(ctx, sessions.workers(Requests.value(ctx, QUEUE)));
  }

  private void list(Context ctx) {
    String state = Requests.value(ctx, STATE);
    Requests.answer(
        ctx,
        sessions.list(
            Requests.value(ctx, QUEUE),
            state == null ? null : SessionState.valueOf(state.toUpperCase(Locale.ROOT)),
            Requests.value(ctx, OF_WORKER),
            Requests.value(ctx, AFTER),
            (int) (long) Requests.value(ctx, LIMIT)));
  }

  private void show(Context ctx) {
    Requests.answer(ctx, sessions.show(Requests.value(ctx, QUEUE), Requests.value(ctx, KEY)));
  }

  private void act(Context ctx) {
    SessionCommand command = Requests.json(ctx, SessionCommand.class);
    require(command.action() != null, "action is missing: MOVE, CLOSE or DROP");
    require(command.key() != null, "key is missing; give the key of a session");
    String queue = Requests.value(ctx, QUEUE);
    String by = Requests.principal(ctx).subject();
    SessionActed answer = sessions.act(queue, command, by);
    LOGGER.info(
        "{}: {} of session {} of {}: {}",
        by,
        command.action(),
        ShownText.of(command.key()),
        queue,
        command.reason() == null ? "no reason given" : SessionService.recorded(command.reason()));
    Requests.answer(ctx, answer);
  }

  /** The queue of the path; a worker's token is valid for its own queue only. */
  static String ownQueue(Context ctx) {
    String queue = Requests.value(ctx, QUEUE);
    if (!Requests.principal(ctx).mayTouch(queue)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token of " + Requests.principal(ctx).subject() + " is not for queue " + queue);
    }
    return queue;
  }

  /** Queue managers end workers by their jobs: nobody may pass for the worker of another's. */
  private static void requireOwnJob(Principal caller, String job) {
    boolean own =
        caller.attempt().map(AttemptId::toString).filter(id -> id.equals(job)).isPresent();
    if (job != null && !own) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "job names attempt %s, and the token is that of %s; a worker names its own attempt, and a program outside none"
              .formatted(ShownText.of(job), caller.subject()));
    }
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
