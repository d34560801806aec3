package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.manager.definition.DefinitionArchive;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.definition.Definitions.AppliedDefinition;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;

/** Applies, lists, deletes and rolls back definitions of every kind, and shows their versions. */
public final class DefinitionRoutes {
  private static final RequestParameter<String> KIND =
      RequestParameter.pathText("kind", "the kind of definition, such as queue or task");
  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the definition's name");
  private static final RequestParameter<Long> VERSION =
      RequestParameter.number(
          "version", "the version to show; 0 for the one in force", 0, 0, Integer.MAX_VALUE);

  private final Definitions definitions;
  private final DefinitionArchive archive;
  private final DefinitionDeletions deletions;

  public DefinitionRoutes(
      Definitions definitions, DefinitionArchive archive, DefinitionDeletions deletions) {
    this.definitions = definitions;
    this.archive = archive;
    this.deletions = deletions;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/definitions", Role.operators(), this::apply)
            .described(
                named("applyDefinitions", "Applies definition files, all or none")
                    .takes(ApplyRequest.class)
                    .answers(ApplyAnswer.class)
                    .refuses(
                        ErrorCode.INVALID_DEFINITION, ErrorCode.CONFLICT, ErrorCode.STALE_VERSION)),
        Route.get(
                "/v1/definitions",
                Role.readers(),
                ctx -> MaskedAnswers.answer(ctx, definitions.inForce()))
            .described(
                named("listDefinitions", "Every definition in force")
                    .answersListOf(AppliedDefinition.class)),
        Route.get(
                "/v1/definitions/deleted",
                Role.readers(),
                ctx -> Requests.answer(ctx, deletions.deleted()))
            .described(
                named(
                        "listDeletedDefinitions",
                        "Deleted definitions that were not created again, the last deleted first")
                    .answersListOf(DeletionView.class)),
        Route.get("/v1/definitions/{kind}/{name}", Role.readers(), this::version)
            .described(
                named("showDefinition", "One definition, also as YAML")
                    .reads(KIND, NAME, VERSION)
                    .answers(DefinitionView.class)
                    .refuses(ErrorCode.UNKNOWN_DEFINITION)),
        Route.get("/v1/definitions/{kind}/{name}/history", Role.readers(), this::history)
            .described(
                named("listDefinitionVersions", "The versions of a definition, newest first")
                    .reads(KIND, NAME)
                    .answersListOf(DefinitionVersion.class)
                    .refuses(ErrorCode.UNKNOWN_DEFINITION, ErrorCode.UNAVAILABLE)),
        Route.post("/v1/definitions/{kind}/{name}/rollback", Role.operators(), this::rollBack)
            .described(
                named("rollBackDefinition", "A new version with the content of an earlier one")
                    .reads(KIND, NAME)
                    .takes(RollbackRequest.class)
                    .answers(ApplyChange.class)
                    .refuses(
                        ErrorCode.UNKNOWN_DEFINITION,
                        ErrorCode.INVALID_DEFINITION,
                        ErrorCode.CONFLICT,
                        ErrorCode.STALE_VERSION)),
        Route.post("/v1/definitions/{kind}/{name}/delete", Role.operators(), this::delete)
            .described(
                named("deleteDefinition", "Begins the deletion of a definition")
                    .reads(KIND, NAME)
                    .takes(DeletionRequest.class)
                    .answers(DeletionView.class)
                    .refuses(
                        ErrorCode.UNKNOWN_DEFINITION,
                        ErrorCode.CONFLICT,
                        ErrorCode.STALE_VERSION)));
  }

  private void apply(Context ctx) {
    ApplyRequest request = Requests.json(ctx, ApplyRequest.class);
    Requests.answer(ctx, definitions.apply(request, Requests.principal(ctx).subject()));
  }

  private void version(Context ctx) {
    int version = (int) (long) Requests.value(ctx, VERSION);
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

  private void delete(Context ctx) {
    DeletionRequest request = Requests.json(ctx, DeletionRequest.class);
    String actor = Requests.principal(ctx).subject();
    Requests.answer(ctx, deletions.delete(kind(ctx), name(ctx), request, actor));
  }

  private static String kind(Context ctx) {
    return Requests.value(ctx, KIND);
  }

  private static String name(Context ctx) {
    return Requests.value(ctx, NAME);
  }
}
