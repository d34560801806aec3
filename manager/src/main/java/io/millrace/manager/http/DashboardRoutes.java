package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Sha256;
import io.millrace.platform.openapi.RequestParameter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Serves the dashboard's pages from the class path. They contain no data, so they are open to
 * everybody; what they show comes from the API, which requires a session.
 */
public final class DashboardRoutes {
  // Digits of the hash that identifies a version of a file.
  private static final int TAG = 16;

  private static final String FOLDER = "/dashboard/";
  private static final Pattern ASSET = Pattern.compile("[a-z]+(/[a-z]+)*(\\.min)?\\.(js|css|svg)");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  private static final String HTML = "text/html";
  private static final RequestParameter<String> CODE =
      RequestParameter.pathText("code", "the one-time code of the link");
  private static final RequestParameter<String> PATH =
      RequestParameter.pathText("path", "the file, which may be in a folder");

  private final Map<String, Page> pages = new ConcurrentHashMap<>();

  public List<Route> routes() {
    return List.of(
        Route.open("GET", "/", ctx -> serve(ctx, "index.html"))
            .described(named("showDashboard", "The dashboard's page").answersMedia(HTML)),
        Route.open("GET", "/login", ctx -> serve(ctx, "login.html"))
            .described(named("showLogin", "The page that accepts a token").answersMedia(HTML)),
        Route.open("GET", "/login/{code}", this::confirm)
            .described(
                named("showLoginLink", "The page of a login link").reads(CODE).answersMedia(HTML)),
        Route.open("GET", "/assets/<path>", this::asset)
            .described(
                named("loadAsset", "A script, style or image of the pages")
                    .reads(PATH)
                    .answersMedia("text/javascript")
                    .answersEmpty(304)
                    .refuses(ErrorCode.UNKNOWN_ROUTE)));
  }

  /**
   * A page whose button uses up the code: a link of another site, or a program that looks at links,
   * logs nobody in.
   */
  private void confirm(Context ctx) {
    // With "no-referrer" browsers do not say where the form was sent from.
    ctx.header("Referrer-Policy", "same-origin");
    serve(ctx, "code.html");
  }

  private void asset(Context ctx) {
    String path = Requests.value(ctx, PATH);
    if (!ASSET.matcher(path).matches()) {
      throw unknown(path);
    }
    serve(ctx, "assets/" + path);
  }

  private void serve(Context ctx, String name) {
    Page page = pages.computeIfAbsent(name, DashboardRoutes::load);
    // Revalidated each time, so that a new version is used at once.
    ctx.header("Cache-Control", "no-cache");
    ctx.header("ETag", page.tag);
    if (page.tag.equals(ctx.header("If-None-Match"))) {
      ctx.status(304);
      return;
    }
    ctx.contentType(page.type).result(page.content);
  }

  private static Page load(String name) {
    try (InputStream in = DashboardRoutes.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw unknown(name);
      }
      byte[] content = in.readAllBytes();
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      return new Page(type, content, '"' + Sha256.of(content).substring(0, TAG) + '"');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MillraceException unknown(String name) {
    return new MillraceException(ErrorCode.UNKNOWN_ROUTE, "the dashboard has no file " + name);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  private record Page(String type, byte[] content, String tag) {}
}
