package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.NODE;
import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.WeightsView;
import io.millrace.manager.weight.TopologyService;
import io.millrace.manager.weight.WeightService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
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

  private static final RequestParameter<Long> MINUTES =
      RequestParameter.number("minutes", "how far back", DEFAULT_MINUTES, 1, MAX_MINUTES);
  private static final RequestParameter<Long> LIMIT = CommonParameters.limit(100, MAX_DECISIONS);
  private static final RequestParameter<String> OF_QUEUE =
      RequestParameter.text("queue", "only decisions about this queue");
  private static final RequestParameter<String> AFTER =
      RequestParameter.text("after", "the version that the caller knows");
  private static final RequestParameter<Duration> WAIT =
      RequestParameter.duration("wait", "how long to wait for a change", Duration.ZERO, MAX_WAIT);
  private static final RequestParameter<Boolean> FRESH =
      RequestParameter.flag(
          "fresh", "as read from the database after the request, at once; only for nodes");

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
        Route.post("/v1/weights/moves", Set.of(Role.QUEUE_NODE), this::move)
            .described(
                named("moveWeight", "A node moves its own points to other nodes")
                    .takes(MoveRequest.class)
                    .answers(MoveAnswer.class)
                    .refuses(ErrorCode.STALE_VERSION, ErrorCode.CONFLICT, ErrorCode.UNKNOWN_QUEUE)),
        Route.post("/v1/queues/{queue}/slots/drained", Set.of(Role.QUEUE_NODE), this::drained)
            .described(
                named("drainedSlots", "A node has all events that an earlier owner of slots had")
                    .reads(QUEUE)
                    .takes(DrainedSlots.class)
                    .answers(QueueWeights.class)
                    .refuses(ErrorCode.STALE_VERSION, ErrorCode.CONFLICT, ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/queues/{queue}/weights", Role.readers(), this::weights)
            .described(
                named("showWeights", "The weights of a queue, and their versions")
                    .reads(QUEUE, MINUTES)
                    .answers(WeightsView.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/balancing/decisions", Role.readers(), this::decisions)
            .described(
                named("listBalancingDecisions", "Decisions about weight, newest first")
                    .reads(OF_QUEUE, NODE, LIMIT)
                    .answersListOf(BalancingDecisionView.class)),
        Route.get("/v1/topology", followers, this::follow)
            .described(
                named("followTopology", "Definitions, weights and queue nodes, when they change")
                    .reads(AFTER, WAIT, FRESH)
                    .answers(Topology.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.FORBIDDEN, ErrorCode.UNAVAILABLE)));
  }

  private void move(Context ctx) {
    MoveRequest request = Requests.json(ctx, MoveRequest.class);
    Requests.requireNode(ctx, request.node());
    request.moves().forEach(move -> Requests.requireNode(ctx, move.from()));
    Requests.answer(ctx, weights.move(request));
  }

  private void drained(Context ctx) {
    DrainedSlots request = Requests.json(ctx, DrainedSlots.class);
    Requests.requireNode(ctx, request.node());
    Requests.answer(ctx, weights.drained(Requests.value(ctx, QUEUE), request));
  }

  private void weights(Context ctx) {
    long minutes = Requests.value(ctx, MINUTES);
    Requests.answer(ctx, weights.weights(Requests.value(ctx, QUEUE), Duration.ofMinutes(minutes)));
  }

  private void decisions(Context ctx) {
    int limit = (int) (long) Requests.value(ctx, LIMIT);
    Requests.answer(
        ctx, weights.decisions(Requests.value(ctx, OF_QUEUE), Requests.value(ctx, NODE), limit));
  }

  private void follow(Context ctx) {
    String known = Requests.value(ctx, AFTER);
    Duration wait = Requests.value(ctx, WAIT);
    boolean fresh = Requests.value(ctx, FRESH);
    if (fresh) {
      requireNode(Requests.principal(ctx));
    }
    String version = known == null ? "" : known;
    ctx.future(
        () ->
            (fresh ? topology.fresh(version) : topology.follow(version, wait))
                .thenAccept(changed -> answer(ctx, changed)));
  }

  // Each is a reading of all tables, which others do not need at once.
  private static void requireNode(Principal caller) {
    if (!caller.role().isNode()) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "only nodes may ask for a fresh topology, not the role %s; leave out 'fresh': changes are seen within half a second"
              .formatted(caller.role().label()));
    }
  }

  private static void answer(Context ctx, Optional<Topology> changed) {
    if (changed.isPresent()) {
      MaskedAnswers.answer(ctx, changed.get());
    } else {
      ctx.status(204);
    }
  }
}
