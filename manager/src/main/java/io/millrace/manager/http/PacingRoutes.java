package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.pacing.PacingRound;
import io.millrace.manager.pacing.PacingService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;
import java.util.Set;

/** What queue managers ask and tell, with the token of the node that runs them. */
public final class PacingRoutes {
  private final PacingService desk;

  public PacingRoutes(PacingService desk) {
    this.desk = desk;
  }

  public List<Route> routes() {
    return List.of(Route.post("/v1/pacing/rounds", Set.of(Role.NODE), this::round));
  }

  private void round(Context ctx) {
    Requests.answer(ctx, desk.round(Requests.json(ctx, PacingRound.class)));
  }
}
