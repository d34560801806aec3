package io.millrace.queuenode.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.PurgeRequest;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.queuenode.segment.SegmentActions;
import io.millrace.queuenode.store.EventState;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The routes by which operators look at and change the events of this node. */
final class ActionRoutes {
  private static final Set<Role> OPERATORS = EnumSet.of(Role.ADMIN, Role.OPERATOR);
  private static final int MOST = 1_000;
  private static final int USUAL = 100;

  private final SegmentActions actions;

  ActionRoutes(SegmentActions actions) {
    this.actions = actions;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/queues/{queue}/dead", Role.lookers(), this::dead),
        Route.post("/v1/queues/{queue}/dead/requeue", OPERATORS, this::requeue),
        Route.post("/v1/queues/{queue}/dead/drop", OPERATORS, this::drop),
        Route.get("/v1/queues/{queue}/peek", Role.lookers(), this::peek),
        Route.post("/v1/queues/{queue}/purge", OPERATORS, this::purge));
  }

  private void dead(Context ctx) {
    long before = Requests.number(ctx, "before", Long.MAX_VALUE, 0, Long.MAX_VALUE);
    Requests.answer(ctx, actions.dead(queue(ctx), before, limit(ctx)));
  }

  private void requeue(Context ctx) {
    Requests.answer(ctx, actions.requeue(queue(ctx), Requests.json(ctx, DeadSelection.class)));
  }

  private void drop(Context ctx) {
    Requests.answer(ctx, actions.drop(queue(ctx), Requests.json(ctx, DeadSelection.class)));
  }

  private void peek(Context ctx) {
    Requests.answer(ctx, actions.peek(queue(ctx), state(ctx.queryParam("state")), limit(ctx)));
  }

  private void purge(Context ctx) {
    Requests.answer(ctx, actions.purge(queue(ctx), Requests.json(ctx, PurgeRequest.class)));
  }

  private static EventState state(String text) {
    return switch (text == null ? "" : text) {
      case "", "ready" -> EventState.READY;
      case "delayed" -> EventState.DELAYED;
      case "leased" -> EventState.LEASED;
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_REQUEST, "state is ready, delayed or leased, not '" + text + "'");
    };
  }

  private static int limit(Context ctx) {
    return (int) Requests.number(ctx, "limit", USUAL, 1, MOST);
  }

  private static String queue(Context ctx) {
    return ctx.pathParam("queue");
  }
}
