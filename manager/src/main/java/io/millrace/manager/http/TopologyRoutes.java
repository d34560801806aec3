package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.queue.Topology;
import io.millrace.manager.weight.TopologyService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tells nodes and load balancers what to follow, as soon as it changes (long polling). */
public final class TopologyRoutes {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private final TopologyService topology;

  public TopologyRoutes(TopologyService topology) {
    this.topology = topology;
  }

  public List<Route> routes() {
    Set<Role> followers = EnumSet.of(Role.NODE);
    followers.addAll(Role.readers());
    return List.of(Route.get("/v1/topology", followers, this::follow));
  }

  private void follow(Context ctx) {
    String known = ctx.queryParam("after");
    Duration wait = Requests.duration(ctx, "wait", Duration.ZERO, LONGEST_WAIT);
    ctx.future(
        () ->
            topology
                .follow(known == null ? "" : known, wait)
                .thenAccept(changed -> answer(ctx, changed)));
  }

  private static void answer(Context ctx, Optional<Topology> changed) {
    if (changed.isPresent()) {
      Requests.answer(ctx, changed.get());
    } else {
      ctx.status(204);
    }
  }
}
