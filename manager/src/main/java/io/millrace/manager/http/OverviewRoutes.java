package io.millrace.manager.http;

import io.millrace.manager.insight.OverviewService;
import io.millrace.manager.insight.OverviewStream;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** The overview of the cluster, once or as a stream of server-sent events, and its problems. */
public final class OverviewRoutes {
  private final OverviewService overviews;
  private final OverviewStream stream;

  public OverviewRoutes(OverviewService overviews, OverviewStream stream) {
    this.overviews = overviews;
    this.stream = stream;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            "/v1/overview", Role.readers(), ctx -> Requests.answer(ctx, overviews.overview())),
        Route.get(
            "/v1/problems",
            Role.readers(),
            ctx -> Requests.answer(ctx, overviews.overview().alerts())),
        Route.get("/v1/stream", Role.readers(), stream.hub().handler()));
  }
}
