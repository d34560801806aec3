package io.millrace.platform.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.Sha256;
import io.millrace.platform.openapi.ApiDocument;
import io.millrace.platform.openapi.ApiDocument.DescribedRoute;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Serves the OpenAPI document of a server, which is made once, when it is first asked for. It has
 * no data, but is for users only: it names every route. Thread-safe; the first callers wait while
 * it is made.
 */
final class ServedDocument {
  static final String PATH = "/v1/openapi.json";

  // Digits of the hash that identifies a version of the document.
  private static final int TAG = 16;

  private final String role;
  private final Supplier<List<Route>> routes;
  // Guarded by this.
  private TaggedDocument made;

  /**
   * The document of a server.
   *
   * @param routes all its routes, with this one
   */
  ServedDocument(String role, Supplier<List<Route>> routes) {
    this.role = role;
    this.routes = routes;
  }

  Route route() {
    Set<Role> users = Role.readers();
    users.add(Role.PRODUCER);
    return Route.get(PATH, users, this::answer)
        .described(
            named("describeApi", "This description of the server's API, as OpenAPI 3.1")
                .answersMedia("application/json")
                .answersEmpty(304));
  }

  private void answer(Context ctx) {
    TaggedDocument document = document();
    // Kept by the client, and asked about each time.
    ctx.header("Cache-Control", "private, no-cache");
    ctx.header("ETag", document.tag);
    if (document.tag.equals(ctx.header("If-None-Match"))) {
      ctx.status(304);
      return;
    }
    ctx.contentType("application/json").result(document.content);
  }

  private synchronized TaggedDocument document() {
    if (made == null) {
      List<DescribedRoute> described =
          routes.get().stream()
              .filter(route -> route.description().complete())
              .map(
                  route ->
                      new DescribedRoute(
                          route.method(), route.path(), route.roles(), route.description()))
              .toList();
      byte[] content = ApiDocument.of(role, described);
      made = new TaggedDocument(content, '"' + Sha256.of(content).substring(0, TAG) + '"');
    }
    return made;
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  private record TaggedDocument(byte[] content, String tag) {}
}
