package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.PurgeRequest;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.manager.queue.QueueControls;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.manager.queue.QueueEvents.Found;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;
import java.util.Set;

/**
 * What operators do with a queue and its events, on all its segments together. Lists name in a
 * header the nodes that did not answer, and where the next page begins.
 */
public final class QueueActionRoutes {
  /** Names of the queue nodes that did not answer, joined by commas. */
  static final String UNREACHED = "Millrace-Unreached";

  /** What to give as {@code before} for the next page. */
  static final String NEXT = "Millrace-Next";

  private static final int USUAL = 100;
  private static final int MOST = 1_000;
  private static final Set<String> STATES = Set.of("ready", "delayed", "leased");

  private final QueueEvents events;
  private final QueueControls controls;
  private final Runnable changed;

  /**
   * The routes.
   *
   * @param changed called after a queue was paused or resumed; a hint
   */
  public QueueActionRoutes(QueueEvents events, QueueControls controls, Runnable changed) {
    this.events = events;
    this.controls = controls;
    this.changed = changed;
  }

  public List<Route> routes() {
    Set<Role> operators = Role.operators();
    return List.of(
        Route.get("/v1/queues/{queue}/dead", Role.readers(), this::dead),
        Route.post("/v1/queues/{queue}/dead/requeue", operators, this::requeue),
        Route.post("/v1/queues/{queue}/dead/drop", operators, this::drop),
        Route.get("/v1/queues/{queue}/peek", Role.readers(), this::peek),
        Route.post("/v1/queues/{queue}/purge", operators, this::purge),
        Route.post("/v1/queues/{queue}/pause", operators, this::pause),
        Route.post("/v1/queues/{queue}/resume", operators, this::resume));
  }

  private void dead(Context ctx) {
    answer(ctx, events.dead(queue(ctx), limit(ctx), ctx.queryParam("before"), who(ctx)));
  }

  private void peek(Context ctx) {
    String state = ctx.queryParam("state");
    if (state != null && !STATES.contains(state)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "state is ready, delayed or leased, not '" + state + "'");
    }
    answer(ctx, events.peek(queue(ctx), limit(ctx), state, who(ctx)));
  }

  private void requeue(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.requeue(queue(ctx), selection, who(ctx)));
  }

  private void drop(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.drop(queue(ctx), selection, who(ctx)));
  }

  private void purge(Context ctx) {
    PurgeRequest request = Requests.json(ctx, PurgeRequest.class);
    Requests.answer(ctx, events.purge(queue(ctx), request, who(ctx)));
  }

  private void pause(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.pause(queue(ctx), request, who(ctx)));
  }

  private void resume(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.resume(queue(ctx), request, who(ctx)));
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
    return (int) Requests.number(ctx, "limit", USUAL, 1, MOST);
  }

  private static String queue(Context ctx) {
    return ctx.pathParam("queue");
  }

  private static String who(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
