package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.manager.pacing.PacingOverrides;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** What operators set for a while in place of a queue's definition. */
public final class OverrideRoutes {
  private static final int USUAL = 20;
  private static final int MOST = 1_000;

  private final PacingOverrides overrides;

  public OverrideRoutes(PacingOverrides overrides) {
    this.overrides = overrides;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queues/{queue}/overrides", Role.readers(), this::list),
        Route.put("/v1/queues/{queue}/override", Role.operators(), this::set),
        Route.delete("/v1/queues/{queue}/override", Role.operators(), this::end));
  }

  private void list(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", USUAL, 1, MOST);
    Requests.answer(ctx, overrides.newest(ctx.pathParam("queue"), limit));
  }

  private void set(Context ctx) {
    OverrideRequest request = Requests.json(ctx, OverrideRequest.class);
    Requests.answer(ctx, overrides.set(ctx.pathParam("queue"), request, who(ctx)));
  }

  /** What is over already is as the caller wants it. */
  private void end(Context ctx) {
    overrides.end(ctx.pathParam("queue"), who(ctx));
    ctx.status(204);
  }

  private static String who(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
