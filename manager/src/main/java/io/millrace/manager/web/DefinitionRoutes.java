package io.millrace.manager.web;

import io.javalin.http.Context;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.manager.definition.Definitions;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.token.Role;
import java.util.List;

/** Applies and lists definitions of every kind. */
public final class DefinitionRoutes {
  private final Definitions definitions;

  public DefinitionRoutes(Definitions definitions) {
    this.definitions = definitions;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/definitions", Role.operators(), this::apply),
        Route.get(
            "/v1/definitions", Role.lookers(), ctx -> Requests.answer(ctx, definitions.inForce())));
  }

  private void apply(Context ctx) {
    ApplyRequest request = Requests.json(ctx, ApplyRequest.class);
    Requests.answer(ctx, definitions.apply(request, Requests.principal(ctx).subject()));
  }
}
