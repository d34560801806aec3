package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.millrace.api.insight.Overview;
import io.millrace.manager.insight.OverviewService;
import io.millrace.manager.insight.OverviewStream;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** The overview of the cluster, once or as a stream of server-sent events. */
public final class OverviewRoutes {
  private final OverviewService overviews;
  private final OverviewStream stream;

  public OverviewRoutes(OverviewService overviews, OverviewStream stream) {
    this.overviews = overviews;
    this.stream = stream;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/overview", Role.readers(), ctx -> Requests.answer(ctx, overviews.overview()))
            .described(
                named("showOverview", "Nodes, queues with their statistics, jobs by state")
                    .answers(Overview.class)),
        Route.get("/v1/stream", Role.readers(), stream.hub().handler())
            .described(
                named("streamOverview", "The overview once a second, as server-sent events")
                    .answersMedia("text/event-stream")));
  }
}
