package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.manager.definition.DefinitionArchive;
import io.millrace.manager.definition.Definitions;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.util.List;

/** Applies, lists and rolls back definitions of every kind, and shows their versions. */
public final class DefinitionRoutes {
  private final Definitions definitions;
  private final DefinitionArchive archive;

  public DefinitionRoutes(Definitions definitions, DefinitionArchive archive) {
    this.definitions = definitions;
    this.archive = archive;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/definitions", Role.operators(), this::apply),
        Route.get(
            "/v1/definitions",
            Role.readers(),
            ctx -> MaskedAnswers.answer(ctx, definitions.inForce())),
        Route.get("/v1/definitions/{kind}/{name}", Role.readers(), this::version),
        Route.get("/v1/definitions/{kind}/{name}/history", Role.readers(), this::history),
        Route.post("/v1/definitions/{kind}/{name}/rollback", Role.operators(), this::rollBack));
  }

  private void apply(Context ctx) {
    ApplyRequest request = Requests.json(ctx, ApplyRequest.class);
    Requests.answer(ctx, definitions.apply(request, Requests.principal(ctx).subject()));
  }

  private void version(Context ctx) {
    int version = (int) Requests.number(ctx, "version", 0, 0, Integer.MAX_VALUE);
    boolean masked = MaskedAnswers.isFor(ctx);
    Requests.answer(
        ctx,
        version == 0
            ? archive.inForce(kind(ctx), name(ctx), masked)
            : archive.version(kind(ctx), name(ctx), version, masked));
  }

  private void history(Context ctx) {
    Requests.answer(ctx, archive.history(kind(ctx), name(ctx), MaskedAnswers.isFor(ctx)));
  }

  private void rollBack(Context ctx) {
    RollbackRequest request = Requests.json(ctx, RollbackRequest.class);
    String author = Requests.principal(ctx).subject();
    Requests.answer(ctx, definitions.rollBack(kind(ctx), name(ctx), request, author));
  }

  private static String kind(Context ctx) {
    return ctx.pathParam("kind");
  }

  private static String name(Context ctx) {
    return ctx.pathParam("name");
  }
}
