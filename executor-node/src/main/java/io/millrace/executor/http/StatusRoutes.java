package io.millrace.executor.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.millrace.api.job.AttemptId;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;
import java.util.function.Supplier;

/** {@code GET /v1/status}. */
public final class StatusRoutes {
  private final Supplier<ExecutorStatus> status;

  public StatusRoutes(Supplier<ExecutorStatus> status) {
    this.status = status;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/status", Role.readers(), ctx -> Requests.answer(ctx, status.get()))
            .described(
                named("showStatus", "Slots, and the attempts on this node")
                    .answers(ExecutorStatus.class)));
  }

  /**
   * The state of an execution node.
   *
   * @param name its name
   * @param registered whether a central manager knows it
   * @param slots slots it offers
   * @param used slots taken
   * @param attempts accepted attempts whose end is not yet recorded by a central manager
   */
  public record ExecutorStatus(
      String name, boolean registered, int slots, int used, List<AttemptId> attempts) {}
}
