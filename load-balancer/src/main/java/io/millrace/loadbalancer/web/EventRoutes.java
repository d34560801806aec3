package io.millrace.loadbalancer.web;

import io.javalin.http.Context;
import io.millrace.api.event.EventMedia;
import io.millrace.api.problem.MillraceException;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.Forwarder;
import io.millrace.platform.batch.BatchNames;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.token.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Takes events from producers. */
public final class EventRoutes {
  private static final Set<Role> SENDERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER);

  private final Forwarder forwarder;
  private final BatchNames names;
  private final AtomicLong refused = new AtomicLong();

  public EventRoutes(Forwarder forwarder, BatchNames names) {
    this.forwarder = forwarder;
    this.names = names;
  }

  public List<Route> routes() {
    return List.of(Route.post("/v1/queues/{queue}/events", SENDERS, this::send));
  }

  /** Requests refused since the start. */
  public long refused() {
    return refused.get();
  }

  private void send(Context ctx) {
    try {
      Requests.answer(ctx, forwarder.forward(batch(ctx)));
    } catch (MillraceException e) {
      refused.incrementAndGet();
      throw e;
    }
  }

  private Batch batch(Context ctx) {
    byte[] body = ctx.bodyAsBytes();
    String mediaType = ctx.contentType() == null ? EventMedia.JSON : ctx.contentType();
    String name = names.orNew(ctx.header(EventMedia.BATCH_HEADER));
    return new Batch(ctx.pathParam("queue"), name, mediaType, body);
  }
}
