package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.weight.MoveRequest;
import io.millrace.manager.weight.BalancingHistory;
import io.millrace.manager.weight.WeightMoves;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Takes the moves that nodes decide, and shows what was decided about weight. */
public final class BalancingRoutes {
  private static final int USUAL_MINUTES = 60;
  private static final int MOST_MINUTES = 30 * 24 * 60;
  private static final int MOST_DECISIONS = 1_000;

  private final WeightMoves moves;
  private final BalancingHistory history;

  public BalancingRoutes(WeightMoves moves, BalancingHistory history) {
    this.moves = moves;
    this.history = history;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
            "/v1/weights/moves",
            Set.of(Role.NODE),
            ctx -> Requests.answer(ctx, moves.move(Requests.json(ctx, MoveRequest.class)))),
        Route.get("/v1/queues/{queue}/weights", Role.readers(), this::weights),
        Route.get("/v1/balancing/decisions", Role.readers(), this::decisions));
  }

  private void weights(Context ctx) {
    long minutes = Requests.number(ctx, "minutes", USUAL_MINUTES, 1, MOST_MINUTES);
    Requests.answer(ctx, history.weights(ctx.pathParam("queue"), Duration.ofMinutes(minutes)));
  }

  private void decisions(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", 100, 1, MOST_DECISIONS);
    Requests.answer(ctx, history.decisions(ctx.queryParam("queue"), ctx.queryParam("node"), limit));
  }
}
