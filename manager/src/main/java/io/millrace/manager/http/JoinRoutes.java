package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.manager.node.JoinService;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;

/**
 * Join tokens, the identities of nodes, and joining with one: the only request that is authorized
 * by such a token, and so open to callers without an ordinary token.
 */
public final class JoinRoutes {
  private static final String BEARER = "Bearer ";
  private static final BodyReader WRITTEN = BodyReader.strict();

  private static final RequestParameter<Boolean> ALL =
      RequestParameter.flag("all", "also the last 1,000 withdrawn ones");
  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the node's name");

  private final JoinService service;
  private final NodeIdentities identities;

  public JoinRoutes(JoinService service, NodeIdentities identities) {
    this.service = service;
    this.identities = identities;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/join-tokens", EnumSet.of(Role.ADMIN), this::create)
            .described(
                named("createJoinToken", "A token with which one new machine joins")
                    .takes(JoinTokenRequest.class)
                    .answers(201, JoinToken.class)
                    .refuses(ErrorCode.CONFLICT)),
        Route.get("/v1/identities", Role.readers(), this::list)
            .described(
                named("listIdentities", "The nodes that have joined")
                    .reads(ALL)
                    .answersListOf(NodeIdentityView.class)),
        Route.delete("/v1/identities/{name}", EnumSet.of(Role.ADMIN), this::withdraw)
            .described(
                named("withdrawIdentity", "Withdraws the identity of a node permanently")
                    .reads(NAME)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_NODE)),
        Route.open("POST", "/v1/join", this::join)
            .described(
                named("join", "Exchanges a join token for the identity of a node")
                    .takes(JoinRequest.class)
                    .answers(JoinAnswer.class)
                    .refuses(
                        ErrorCode.UNAUTHENTICATED,
                        ErrorCode.FORBIDDEN,
                        ErrorCode.CONFLICT,
                        ErrorCode.RATE_LIMITED)));
  }

  private void create(Context ctx) {
    JoinTokenRequest request = WRITTEN.one(ctx, JoinTokenRequest.class);
    ctx.status(201);
    Requests.answer(ctx, service.create(request, Requests.principal(ctx).subject()));
  }

  private void list(Context ctx) {
    Requests.answer(ctx, Requests.value(ctx, ALL) ? identities.all() : identities.list());
  }

  private void withdraw(Context ctx) {
    identities.withdraw(Requests.value(ctx, NAME), Requests.principal(ctx).subject());
    ctx.status(204);
  }

  private void join(Context ctx) {
    String authorization = ctx.header("Authorization");
    if (authorization == null || !authorization.startsWith(BEARER)) {
      throw new MillraceException(
          ErrorCode.UNAUTHENTICATED,
          "joining needs a join token: Authorization: Bearer TOKEN; an administrator creates one"
              + " with 'millrace token join'");
    }
    String token = authorization.substring(BEARER.length()).strip();
    // Written by 'millrace join' of any version: keys of later ones are ignored.
    JoinRequest request = Requests.json(ctx, JoinRequest.class);
    try {
      Requests.answer(ctx, service.join(token, request, List.of(requestedAddress(ctx))));
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.UNAUTHENTICATED) {
        Requests.failedLogin(ctx);
      }
      throw e;
    }
  }

  // The address under which the machine reaches this server works for its configuration, too.
  private static URI requestedAddress(Context ctx) {
    return URI.create(ctx.scheme() + "://" + ctx.host());
  }
}
