package io.millrace.queuenode.web;

import io.javalin.http.Context;
import io.millrace.api.event.EventMedia;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.batch.BatchNames;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.time.Clock;
import io.millrace.platform.token.Role;
import io.millrace.queuenode.segment.SegmentService;
import io.millrace.queuenode.store.NewEvent;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The routes of a queue node. */
public final class QueueRoutes {
  private static final Set<Role> SENDERS =
      EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.NODE);
  private static final Set<Role> TAKERS =
      EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.WORKER, Role.NODE);
  private static final int MOST_DEAD = 1_000;
  private static final int USUAL_DEAD = 100;

  private final SegmentService segments;
  private final BatchNames names;
  private final ReceiptRequests requests = new ReceiptRequests();

  public QueueRoutes(SegmentService segments, Clock clock) {
    this.segments = segments;
    this.names = new BatchNames(clock);
  }

  public List<Route> routes() {
    Set<Role> watchers = EnumSet.copyOf(Role.lookers());
    watchers.add(Role.NODE);
    return List.of(
        Route.post("/v1/queues/{queue}/events", SENDERS, this::send),
        Route.post("/v1/queues/{queue}/leases", TAKERS, this::lease),
        Route.post("/v1/queues/{queue}/acks", TAKERS, this::acknowledge),
        Route.post("/v1/queues/{queue}/nacks", TAKERS, this::refuse),
        Route.post("/v1/queues/{queue}/extensions", TAKERS, this::extend),
        Route.get("/v1/queues/{queue}/dead", Role.lookers(), this::dead),
        Route.get("/v1/segments", watchers, ctx -> Requests.answer(ctx, segments.figures())),
        Route.get("/v1/segments/{queue}", watchers, this::figures));
  }

  private void send(Context ctx) {
    String batch = names.orNew(ctx.header(EventMedia.BATCH_HEADER));
    List<NewEvent> events = EventBodies.read(ctx.contentType(), ctx.bodyAsBytes(), batch);
    Requests.answer(ctx, segments.put(ctx.pathParam("queue"), batch, events));
  }

  private void lease(Context ctx) {
    String queue = ownQueue(ctx);
    Requests.answer(ctx, segments.lease(queue, requests.lease(ctx)));
  }

  private void acknowledge(Context ctx) {
    String queue = ownQueue(ctx);
    Requests.answer(ctx, segments.acknowledge(queue, requests.acknowledgement(ctx)));
  }

  private void refuse(Context ctx) {
    String queue = ownQueue(ctx);
    ReceiptRequests.Refused refused = requests.refusal(ctx);
    Requests.answer(ctx, segments.refuse(queue, refused.receipts(), refused.refusal()));
  }

  private void extend(Context ctx) {
    String queue = ownQueue(ctx);
    ReceiptRequests.Extended extended = requests.extension(ctx);
    Requests.answer(ctx, segments.extend(queue, extended.receipts(), extended.lease()));
  }

  private void dead(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", USUAL_DEAD, 1, MOST_DEAD);
    Requests.answer(ctx, segments.dead(ctx.pathParam("queue"), limit));
  }

  private void figures(Context ctx) {
    Requests.answer(ctx, segments.figures(ctx.pathParam("queue")));
  }

  /** The queue of the path; a worker's token is good for its own only. */
  private static String ownQueue(Context ctx) {
    String queue = ctx.pathParam("queue");
    if (!Requests.principal(ctx).mayTouch(queue)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token of " + Requests.principal(ctx).subject() + " is not for queue " + queue);
    }
    return queue;
  }
}
