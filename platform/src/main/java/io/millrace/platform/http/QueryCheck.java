package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.platform.document.NearestName;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter.Place;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Refuses query parameters that the route does not have, which would otherwise be ignored: a
 * misspelt filter would list everything. Only people and their programs are refused: servers and
 * attempts may be of the next version, and health checks add what they like. Stateless.
 */
final class QueryCheck {
  private static final String ROUTE = "millrace.route";
  private static final Set<Role> USERS =
      EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.VIEWER);

  private QueryCheck() {}

  /** Lets the handler read the parameters of the route. */
  static void begin(Context ctx, Route route) {
    ctx.attribute(ROUTE, route);
  }

  /** The route of the request. */
  static Route route(Context ctx) {
    Route route = ctx.attribute(ROUTE);
    if (route == null) {
      throw new IllegalStateException("the server of " + ctx.path() + " has no routes");
    }
    return route;
  }

  /**
   * Checks the query of a request whose caller was admitted.
   *
   * @throws MillraceException INVALID_REQUEST if it has an unknown parameter, or one twice
   */
  static void check(Context ctx, Route route) {
    if (ctx.req().getQueryString() == null || route.open() || !ofUser(ctx)) {
      return;
    }
    List<String> known = route.description().names(Place.QUERY);
    for (Map.Entry<String, List<String>> given : ctx.queryParamMap().entrySet()) {
      if (!known.contains(given.getKey())) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, unknown(given.getKey(), known));
      }
      if (given.getValue().size() > 1) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            given.getKey() + " is given " + given.getValue().size() + " times; give it once");
      }
    }
  }

  // A server that calls in the name of a user signs the call.
  private static boolean ofUser(Context ctx) {
    return USERS.contains(Requests.principal(ctx).role()) && !Guard.signed(ctx);
  }

  private static String unknown(String name, List<String> known) {
    String hint =
        known.isEmpty()
            ? "this route has none"
            : NearestName.of(ShownText.of(name), known)
                    .map(near -> "did you mean '" + near + "'? ")
                    .orElse("")
                + "known parameters: "
                + String.join(", ", known);
    return "there is no query parameter '" + ShownText.of(name) + "' here; " + hint;
  }
}
