package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.millrace.platform.identity.Role;
import java.util.Set;

/**
 * One route: what answers it and who may ask. A route without roles is open to everybody; only
 * health, the login and static assets are.
 *
 * @param method GET, POST, PUT or DELETE
 * @param path Javalin's form, for instance {@code /v1/jobs/{id}}
 * @param roles who may ask; empty for everybody
 * @param handler what answers
 * @param streaming whether the handler reads bodies of any size as they arrive, within memory of
 *     its own bounds; all other routes refuse bodies above the server's limit
 */
public record Route(
    String method, String path, Set<Role> roles, Handler handler, boolean streaming) {
  public Route {
    roles = Set.copyOf(roles);
  }

  private Route(String method, String path, Set<Role> roles, Handler handler) {
    this(method, path, roles, handler, false);
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

  /** A route that everybody may ask, credentials or not. */
  public static Route open(String method, String path, Handler handler) {
    return new Route(method, path, Set.of(), handler);
  }

  /** The same route, whose handler reads bodies of any size as they arrive. */
  public Route streamed() {
    return new Route(method, path, roles, handler, true);
  }

  /** Whether everybody may ask. */
  public boolean open() {
    return roles.isEmpty();
  }

  private static Set<Role> demand(String path, Set<Role> roles) {
    if (roles.isEmpty()) {
      throw new IllegalArgumentException(path + " names no role; say Route.open if that is meant");
    }
    return roles;
  }
}
