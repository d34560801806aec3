package io.millrace.manager.web;

import io.javalin.http.Context;
import io.millrace.api.pacing.PacingRecord;
import io.millrace.manager.queue.PacingDesk;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.token.Role;
import java.util.List;
import java.util.Set;

/** What queue managers ask and tell, with the token of the node that runs them. */
public final class PacingRoutes {
  private final PacingDesk desk;

  public PacingRoutes(PacingDesk desk) {
    this.desk = desk;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/pacing/{queue}/{node}", Set.of(Role.NODE), this::view),
        Route.post("/v1/pacing/{queue}/{node}", Set.of(Role.NODE), this::record));
  }

  private void view(Context ctx) {
    Requests.answer(ctx, desk.view(ctx.pathParam("queue"), ctx.pathParam("node")));
  }

  private void record(Context ctx) {
    PacingRecord decision = Requests.json(ctx, PacingRecord.class);
    desk.record(ctx.pathParam("queue"), ctx.pathParam("node"), decision);
    ctx.status(204);
  }
}
