package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.millrace.platform.identity.Role;
import java.util.Set;

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
 */
public record Route(
    String method, String path, Set<Role> roles, Handler handler, long maxBody, boolean streaming) {
  /** The largest body of an open route that does not say otherwise. */
  public static final long OPEN_BODY = 16L << 10;

  public Route {
    roles = Set.copyOf(roles);
  }

  private Route(String method, String path, Set<Role> roles, Handler handler) {
    this(method, path, roles, handler, OPEN_BODY, false);
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
    return new Route(method, path, roles, handler, bytes, streaming);
  }

  /** The same route with a handler that streams bodies of any size. */
  public Route streamed() {
    return new Route(method, path, roles, handler, maxBody, true);
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
