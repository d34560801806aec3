package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** Why jobs wait. */
public final class ExplanationRoutes {
  private final JobExplanations explanations;

  public ExplanationRoutes(JobExplanations explanations) {
    this.explanations = explanations;
  }

  public List<Route> routes() {
    return List.of(Route.get("/v1/jobs/{id}/explanation", Role.readers(), this::explain));
  }

  private void explain(Context ctx) {
    Requests.answer(ctx, explanations.of(Requests.pathNumber(ctx, "id")));
  }
}
