package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter.Place;
import io.millrace.platform.openapi.RouteDescription;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A route with its handler and the roles that may call it. A route without roles is open; only
 * health checks, the login and static files are.
 *
 * @param method GET, POST, PUT or DELETE
 * @param path Javalin's form, for instance {@code /v1/jobs/{id}}
 * @param roles the roles that may call it; empty if open
 * @param handler the handler
 * @param maxBody the most bytes of a body if the route is open; other routes have the server's
 *     limit
 * @param streaming whether the handler streams bodies of any size, with {@link Requests#stream},
 *     and bounds its memory itself; all other routes refuse bodies above the limit
 * @param description what it takes, answers and refuses; its handler can read no other parameters
 */
public record Route(
    String method,
    String path,
    Set<Role> roles,
    Handler handler,
    long maxBody,
    boolean streaming,
    RouteDescription description) {
  /** The largest body of an open route that does not say otherwise. */
  public static final long OPEN_BODY = 16L << 10;

  private static final Pattern PLACEHOLDER = Pattern.compile("[{<]([a-z]+)[}>]");

  public Route {
    roles = Set.copyOf(roles);
  }

  private Route(String method, String path, Set<Role> roles, Handler handler) {
    this(method, path, roles, handler, OPEN_BODY, false, RouteDescription.NONE);
  }

  public static Route get(String path, Set<Role> roles, Handler handler) {
    return new Route("GET", path, demand(path, roles), handler);
  }

  public static Route post(String path, Set<Role> roles, Handler handler) {
    return new Route("POST", path, demand(path, roles), handler);
  }

  public static Route put(String path, Set<Role> roles, Handler handler) {
    return new Route("PUT", path, demand(path, roles), handler);
  }

  public static Route delete(String path, Set<Role> roles, Handler handler) {
    return new Route("DELETE", path, demand(path, roles), handler);
  }

  /** An open route, which needs no credentials and takes bodies of up to 16 KiB. */
  public static Route open(String method, String path, Handler handler) {
    return new Route(method, path, Set.of(), handler);
  }

  /** The same open route with another limit of its bodies, in bytes. */
  public Route accepting(long bytes) {
    return new Route(method, path, roles, handler, bytes, streaming, description);
  }

  /** The same route with a handler that streams bodies of any size. */
  public Route streamed() {
    return new Route(method, path, roles, handler, maxBody, true, description);
  }

  /** The same route with its description, which must name the parameters of its path. */
  public Route described(RouteDescription as) {
    List<String> placeholders =
        PLACEHOLDER.matcher(path).results().map(found -> found.group(1)).sorted().toList();
    if (!placeholders.equals(as.names(Place.PATH))) {
      throw new IllegalArgumentException(
          "%s %s has the parameters %s, but its description reads %s"
              .formatted(method, path, placeholders, as.names(Place.PATH)));
    }
    return new Route(method, path, roles, handler, maxBody, streaming, as);
  }

  /** Whether the route is open. */
  public boolean open() {
    return roles.isEmpty();
  }

  private static Set<Role> demand(String path, Set<Role> roles) {
    if (roles.isEmpty()) {
      throw new IllegalArgumentException(path + " has no role; use Route.open if that is intended");
    }
    return roles;
  }
}
