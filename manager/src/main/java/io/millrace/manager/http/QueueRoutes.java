package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.manager.insight.QueueCatalog;
import io.millrace.manager.queue.QueueControls;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.manager.queue.QueueEvents.Found;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Queues: their figures, history and decisions, and actions on a queue and its events over all its
 * segments. Lists of events name in a header the nodes that did not answer, and where the next page
 * begins.
 */
public final class QueueRoutes {
  /** Names of the queue nodes that did not answer, joined by commas. */
  static final String UNREACHED = "Millrace-Unreached";

  /** What to send as {@code before} for the next page. */
  static final String NEXT = "Millrace-Next";

  private static final int MAX_MINUTES = 24 * 60;
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 1_000;
  private static final Set<String> STATES = Set.of("ready", "delayed", "leased");

  private final QueueCatalog catalog;
  private final QueueEvents events;
  private final QueueControls controls;
  private final Runnable changed;

  /**
   * The routes.
   *
   * @param changed called after a queue was paused or resumed; a hint
   */
  public QueueRoutes(
      QueueCatalog catalog, QueueEvents events, QueueControls controls, Runnable changed) {
    this.catalog = catalog;
    this.events = events;
    this.controls = controls;
    this.changed = changed;
  }

  public List<Route> routes() {
    Set<Role> operators = Role.operators();
    return List.of(
        Route.get("/v1/queues", Role.readers(), ctx -> Requests.answer(ctx, catalog.views())),
        Route.get(
            "/v1/queues/{queue}",
            Role.readers(),
            ctx -> MaskedAnswers.answer(ctx, catalog.details(queue(ctx)))),
        Route.get("/v1/queues/{queue}/history", Role.readers(), this::history),
        Route.get("/v1/queues/{queue}/decisions", Role.readers(), this::decisions),
        Route.get("/v1/queues/{queue}/dead", Role.readers(), this::dead),
        Route.post("/v1/queues/{queue}/dead/requeue", operators, this::requeue),
        Route.post("/v1/queues/{queue}/dead/drop", operators, this::drop),
        Route.get("/v1/queues/{queue}/peek", Role.readers(), this::peek),
        Route.post("/v1/queues/{queue}/purge", operators, this::purge),
        Route.post("/v1/queues/{queue}/pause", operators, this::pause),
        Route.post("/v1/queues/{queue}/resume", operators, this::resume));
  }

  private void history(Context ctx) {
    Duration period = Duration.ofMinutes(Requests.number(ctx, "minutes", 60, 1, MAX_MINUTES));
    Requests.answer(ctx, catalog.history(queue(ctx), period));
  }

  private void decisions(Context ctx) {
    long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
    Requests.answer(
        ctx,
        catalog.decisions(
            queue(ctx), ctx.queryParam("node"), before == 0 ? null : before, limit(ctx)));
  }

  private void dead(Context ctx) {
    answer(
        ctx,
        events.dead(queue(ctx), limit(ctx), ctx.queryParam("before"), Requests.principal(ctx)));
  }

  private void peek(Context ctx) {
    String state = ctx.queryParam("state");
    if (state != null && !STATES.contains(state)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "state must be ready, delayed or leased, not '" + state + "'");
    }
    answer(ctx, events.peek(queue(ctx), limit(ctx), state, Requests.principal(ctx)));
  }

  private void requeue(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.requeue(queue(ctx), selection, Requests.principal(ctx)));
  }

  private void drop(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.drop(queue(ctx), selection, Requests.principal(ctx)));
  }

  private void purge(Context ctx) {
    PurgeRequest request = Requests.json(ctx, PurgeRequest.class);
    Requests.answer(ctx, events.purge(queue(ctx), request, Requests.principal(ctx)));
  }

  private void pause(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.pause(queue(ctx), request, actor(ctx)));
  }

  private void resume(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.resume(queue(ctx), request, actor(ctx)));
  }

  private void changed(Context ctx, QueueControl control) {
    changed.run();
    Requests.answer(ctx, control);
  }

  private static void answer(Context ctx, Found<?> found) {
    if (!found.unreached().isEmpty()) {
      ctx.header(UNREACHED, String.join(",", found.unreached()));
    }
    if (found.next() != null) {
      ctx.header(NEXT, found.next());
    }
    Requests.answer(ctx, found.events());
  }

  private static int limit(Context ctx) {
    return (int) Requests.number(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
  }

  private static String queue(Context ctx) {
    return ctx.pathParam("queue");
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
