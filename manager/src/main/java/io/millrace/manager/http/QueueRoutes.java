package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.manager.insight.QueueCatalog;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.List;

/** Shows queues, their history and the decisions of their managers. */
public final class QueueRoutes {
  private static final int MOST_MINUTES = 24 * 60;
  private static final int MOST_DECISIONS = 1_000;

  private final QueueCatalog catalog;

  public QueueRoutes(QueueCatalog catalog) {
    this.catalog = catalog;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queues", Role.readers(), ctx -> Requests.answer(ctx, catalog.views())),
        Route.get(
            "/v1/queues/{queue}",
            Role.readers(),
            ctx -> Requests.answer(ctx, catalog.details(ctx.pathParam("queue")))),
        Route.get("/v1/queues/{queue}/history", Role.readers(), this::history),
        Route.get("/v1/queues/{queue}/decisions", Role.readers(), this::decisions));
  }

  private void history(Context ctx) {
    Duration back = Duration.ofMinutes(Requests.number(ctx, "minutes", 60, 1, MOST_MINUTES));
    Requests.answer(ctx, catalog.history(ctx.pathParam("queue"), back));
  }

  private void decisions(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", 100, 1, MOST_DECISIONS);
    long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
    Requests.answer(
        ctx,
        catalog.decisions(
            ctx.pathParam("queue"), ctx.queryParam("node"), before == 0 ? null : before, limit));
  }
}
