package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.queue.Topology;
import io.millrace.api.weight.MoveRequest;
import io.millrace.manager.weight.TopologyService;
import io.millrace.manager.weight.WeightService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Weights: the moves that nodes request, the history of decisions, and the topology that nodes and
 * load balancers follow (long polling).
 */
public final class WeightRoutes {
  private static final int DEFAULT_MINUTES = 60;
  private static final int MAX_MINUTES = 30 * 24 * 60;
  private static final int MAX_DECISIONS = 1_000;
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final WeightService weights;
  private final TopologyService topology;

  public WeightRoutes(WeightService weights, TopologyService topology) {
    this.weights = weights;
    this.topology = topology;
  }

  public List<Route> routes() {
    Set<Role> followers = EnumSet.copyOf(Role.nodes());
    followers.addAll(Role.readers());
    return List.of(
        Route.post("/v1/weights/moves", Set.of(Role.QUEUE_NODE), this::move),
        Route.get("/v1/queues/{queue}/weights", Role.readers(), this::weights),
        Route.get("/v1/balancing/decisions", Role.readers(), this::decisions),
        Route.get("/v1/topology", followers, this::follow));
  }

  private void move(Context ctx) {
    MoveRequest request = Requests.json(ctx, MoveRequest.class);
    Requests.requireNode(ctx, request.node());
    request.moves().forEach(move -> Requests.requireNode(ctx, move.from()));
    Requests.answer(ctx, weights.move(request));
  }

  private void weights(Context ctx) {
    long minutes = Requests.number(ctx, "minutes", DEFAULT_MINUTES, 1, MAX_MINUTES);
    Requests.answer(ctx, weights.weights(ctx.pathParam("queue"), Duration.ofMinutes(minutes)));
  }

  private void decisions(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", 100, 1, MAX_DECISIONS);
    Requests.answer(ctx, weights.decisions(ctx.queryParam("queue"), ctx.queryParam("node"), limit));
  }

  private void follow(Context ctx) {
    String known = ctx.queryParam("after");
    Duration wait = Requests.duration(ctx, "wait", Duration.ZERO, MAX_WAIT);
    ctx.future(
        () ->
            topology
                .follow(known == null ? "" : known, wait)
                .thenAccept(changed -> answer(ctx, changed)));
  }

  private static void answer(Context ctx, Optional<Topology> changed) {
    if (changed.isPresent()) {
      MaskedAnswers.answer(ctx, changed.get());
    } else {
      ctx.status(204);
    }
  }
}
