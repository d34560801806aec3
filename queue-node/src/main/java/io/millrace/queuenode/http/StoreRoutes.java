package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.segment.StoreCopies;
import java.util.List;
import java.util.Set;

/** The routes by which a backup reads a node's store. */
public final class StoreRoutes {
  private static final Set<Role> ADMINS = Set.of(Role.ADMIN);

  private static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");
  private static final RequestParameter<Long> AFTER =
      RequestParameter.number("after", "only events with higher numbers", 0, 0, Long.MAX_VALUE);
  private static final RequestParameter<Long> UP_TO =
      RequestParameter.number(
          "upTo", "no events with higher numbers", Long.MAX_VALUE, 0, Long.MAX_VALUE);

  private final StoreCopies copies;

  public StoreRoutes(StoreCopies copies) {
    this.copies = copies;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/store", ADMINS, ctx -> Requests.answer(ctx, copies.summary()))
            .described(
                named("showStore", "What the store of this node holds")
                    .answers(StoreSummary.class)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.get("/v1/store/{queue}/events", ADMINS, this::events)
            .described(
                named("copyStore", "Events of a queue with all their state, by number")
                    .reads(QUEUE, AFTER, UP_TO)
                    .answers(StoredEvents.class)
                    .refuses(ErrorCode.STORE_FAILURE)));
  }

  private void events(Context ctx) {
    Requests.answer(
        ctx,
        copies.page(
            Requests.value(ctx, QUEUE), Requests.value(ctx, AFTER), Requests.value(ctx, UP_TO)));
  }
}
