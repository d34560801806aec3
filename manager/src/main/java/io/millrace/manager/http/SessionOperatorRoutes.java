package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable;
import io.millrace.manager.queue.SessionOperations;
import io.millrace.manager.queue.SessionOperations.FoundSessions;
import io.millrace.manager.queue.SessionOperations.FoundWorkers;
import io.millrace.manager.queue.SlotPartCalls;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * The sessions of a queue and their workers over all its segments; what is asked is forwarded to
 * the queue nodes. Lists name in a header the nodes that did not answer.
 */
public final class SessionOperatorRoutes {
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
  private static final RequestParameter<Long> LIMIT = CommonParameters.limit(100, 1_000);
  private static final RequestParameter<String> KEY =
      RequestParameter.text("key", "the session's key").demanded();
  private static final RequestParameter<UUID> WORKER =
      RequestParameter.pathId("worker", "the worker's own id");
  private static final String SILENT = "nodes that did not answer, separated by commas";

  private static final RequestParameter<Long> SLOT =
      RequestParameter.pathNumber("slot", "the slot, from 0 to 999", 0, SlotTable.SLOTS - 1);
  private static final Set<Role> RESCUERS = EnumSet.of(Role.ADMIN);

  private final SessionOperations sessions;
  private final SlotPartCalls parts;

  public SessionOperatorRoutes(SessionOperations sessions, SlotPartCalls parts) {
    this.sessions = sessions;
    this.parts = parts;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queues/{queue}/sessions", Role.readers(), this::list)
            .described(
                named("listSessions", "Sessions of all segments")
                    .reads(QUEUE, STATE, OF_WORKER, AFTER, LIMIT)
                    .answers(SessionPage.class)
                    .with(QueueRoutes.UNREACHED, SILENT)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)),
        Route.get("/v1/queues/{queue}/session", Role.readers(), this::show)
            .described(
                named("showSession", "One session, its events and what happened to it")
                    .reads(QUEUE, KEY)
                    .answers(SessionDetails.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNREACHABLE)),
        Route.post("/v1/queues/{queue}/session-actions", Role.operators(), this::act)
            .described(
                named("changeSession", "Moves a session to another worker, closes or drops it")
                    .reads(QUEUE)
                    .takes(SessionCommand.class)
                    .answers(SessionActed.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.CONFLICT, ErrorCode.UNREACHABLE)),
        Route.get("/v1/queues/{queue}/session-workers", Role.readers(), this::workers)
            .described(
                named("listSessionWorkers", "The workers of a queue's sessions at all its nodes")
                    .reads(QUEUE)
                    .answersListOf(SessionWorkerView.class)
                    .with(QueueRoutes.UNREACHED, SILENT)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)),
        Route.post(
                "/v1/queues/{queue}/session-workers/{worker}/retirement",
                Role.operators(),
                this::retire)
            .described(
                named(
                        "retireSessionWorker",
                        "Retires a worker as if it were lost, or asks it to end")
                    .reads(QUEUE, WORKER)
                    .takes(RetirementRequest.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.UNREACHABLE)),
        Route.post("/v1/queues/{queue}/slots/{slot}/parts", RESCUERS, this::rescued)
            .described(
                named("passSlotPart", "Passes what a lost node held of a slot to its owner")
                    .reads(QUEUE, SLOT)
                    .takes(SlotPage.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                    .refuses(ErrorCode.UNKNOWN_NODE, ErrorCode.STALE_SLOT, ErrorCode.CONFLICT)
                    .refuses(ErrorCode.UNREACHABLE, ErrorCode.STORE_FAILURE)));
  }

  private void list(Context ctx) {
    FoundSessions found =
        sessions.list(
            Requests.value(ctx, QUEUE),
            Requests.value(ctx, STATE),
            Requests.value(ctx, OF_WORKER),
            Requests.value(ctx, AFTER),
            (int) (long) Requests.value(ctx, LIMIT),
            Requests.principal(ctx));
    unreached(ctx, found.unreached());
    Requests.answer(ctx, found.page());
  }

  private void show(Context ctx) {
    Requests.answer(
        ctx,
        sessions.show(
            Requests.value(ctx, QUEUE), Requests.value(ctx, KEY), Requests.principal(ctx)));
  }

  private void act(Context ctx) {
    SessionCommand command = Requests.json(ctx, SessionCommand.class);
    Requests.answer(
        ctx, sessions.act(Requests.value(ctx, QUEUE), command, Requests.principal(ctx)));
  }

  private void workers(Context ctx) {
    FoundWorkers found = sessions.workers(Requests.value(ctx, QUEUE), Requests.principal(ctx));
    unreached(ctx, found.unreached());
    Requests.answer(ctx, found.workers());
  }

  private void retire(Context ctx) {
    RetirementRequest request = Requests.json(ctx, RetirementRequest.class);
    sessions.retire(
        Requests.value(ctx, QUEUE), Requests.value(ctx, WORKER), request, Requests.principal(ctx));
    ctx.status(204);
  }

  private void rescued(Context ctx) {
    SlotPage page = Requests.json(ctx, SlotPage.class);
    long slot = Requests.value(ctx, SLOT);
    if (page.slot() != slot) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the part is of slot %d, and the path is of slot %d".formatted(page.slot(), slot));
    }
    parts.pass(Requests.value(ctx, QUEUE), page, Requests.principal(ctx));
    ctx.status(204);
  }

  private static void unreached(Context ctx, List<String> nodes) {
    if (!nodes.isEmpty()) {
      ctx.header(QueueRoutes.UNREACHED, String.join(",", nodes));
    }
  }
}
