package io.millrace.executor.http;

import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;
import java.util.function.Supplier;

/** {@code GET /v1/status}. */
public final class StatusRoutes {
  private final Supplier<NodeStatus> status;

  public StatusRoutes(Supplier<NodeStatus> status) {
    this.status = status;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/status", Role.lookers(), ctx -> Requests.answer(ctx, status.get())));
  }
}
