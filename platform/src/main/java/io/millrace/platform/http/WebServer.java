package io.millrace.platform.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.platform.http.RequestThreads.Brief;
import io.millrace.platform.identity.CallVerifier;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.platform.lifecycle.Service;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server with routes: denies by default, reports errors as problem details, and adds health
 * checks and metrics. {@link #start()} returns once it listens.
 */
public final class WebServer implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(WebServer.class);
  private static final long STOP_MILLIS = 500;
  private static final long IDLE_MILLIS = 20;
  // Longer than any request waits. Not 0, after which Jetty does not put the timeout of idle
  // connections back.
  private static final Duration LONGEST_EXCHANGE = Duration.ofHours(25);
  private static final int MIN_THREADS = 8;

  private final WebSettings settings;
  private final ServerBounds bounds;
  private final Guard guard;
  private final RequestBodies bodies;
  private final Health health;
  private final Metrics metrics;
  private final List<Route> routes;
  private final List<Brief> briefs;
  private volatile ConnectionLimits connections;
  // Guarded by this. The address remains known after the stop, for messages.
  private Javalin javalin;
  private URI address;

  /** A server with the usual bounds that has not started. */
  public WebServer(
      WebSettings settings, Callers callers, Health health, Metrics metrics, List<Route> routes) {
    this(settings, ServerBounds.usual(), callers, health, metrics, routes);
  }

  /** A server that has not started. */
  WebServer(
      WebSettings settings,
      ServerBounds bounds,
      Callers callers,
      Health health,
      Metrics metrics,
      List<Route> routes) {
    this.bounds = bounds;
    this.settings = settings;
    this.guard = new Guard(callers, settings);
    this.bodies = new RequestBodies(settings.maxBody().bytes(), bounds);
    this.health = health;
    this.metrics = metrics;
    this.routes = new ArrayList<>(routes);
    this.routes.add(
        Route.open("GET", "/readyz", this::ready)
            .described(
                named("isReady", "Whether the server can work; lists the failing checks otherwise")
                    .answersMedia("text/plain")
                    .refuses(ErrorCode.UNAVAILABLE)));
    CallVerifier calls = callers.tokens().calls();
    this.briefs =
        List.of(
            new Brief(
                "/livez",
                "text/plain;charset=utf-8",
                () -> "ok\n",
                named("isLive", "Answers while the process is running").answersMedia("text/plain")),
            new Brief(
                SignedCalls.NONCE_PATH,
                "application/json",
                () -> Json.write(new SignedCalls.NonceAnswer(calls.nonce())),
                named("issueNonce", "A nonce for a signed call of another server")
                    .answers(SignedCalls.NonceAnswer.class)));
    for (Brief brief : briefs) {
      Handler answer = ctx -> ctx.contentType(brief.mediaType()).result(brief.text().get());
      this.routes.add(Route.open("GET", brief.path(), answer).described(brief.description()));
    }
    this.routes.add(
        Route.get("/metrics", Role.readers(), this::scrape)
            .described(
                named("scrapeMetrics", "The meters of the server as Prometheus text")
                    .answersMedia("text/plain")));
    this.routes.add(new ServedDocument(metrics.role(), this::routes).route());
  }

  /**
   * How a server recognizes its callers.
   *
   * @param tokens verifies tokens and signed calls
   * @param nodes refuses, with a MillraceException, a node whose identity was withdrawn; may block
   * @param sessions the user of a session of the dashboard; may block
   */
  public record Callers(
      TokenVerifier tokens,
      Consumer<Principal> nodes,
      Function<String, Optional<Principal>> sessions) {
    /** Callers of a server that has no sessions. */
    public static Callers of(TokenVerifier tokens, Consumer<Principal> nodes) {
      return new Callers(tokens, nodes, session -> Optional.empty());
    }

    /** Callers of a server that has no sessions and no routes for nodes: it accepts none. */
    public static Callers withoutNodes(TokenVerifier tokens) {
      return of(tokens, Callers::refuse);
    }

    private static void refuse(Principal node) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN, "this server accepts no calls of nodes, so not of " + node);
    }
  }

  /** All routes, for tests. */
  public List<Route> routes() {
    return List.copyOf(routes);
  }

  /** Its connections, for tests; only after its start. */
  ConnectionLimits connections() {
    return connections;
  }

  /** The memory that bodies hold, for tests. */
  long bodyMemory() {
    return bodies.held();
  }

  /** The server's address; only after its start. */
  public synchronized URI address() {
    if (address == null) {
      throw new IllegalStateException("the server has not been started");
    }
    return address;
  }

  @Override
  public synchronized void start() {
    Javalin server = Javalin.create(this::configure);
    try {
      server.start(settings.host(), settings.port());
    } catch (RuntimeException e) {
      server.stop();
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "cannot listen on "
              + settings.host()
              + ":"
              + settings.port()
              + " (is another program using it? choose another port): "
              + rootMessage(e),
          e);
    }
    javalin = server;
    String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
    address = URI.create("http://" + host + ":" + server.port());
  }

  /** Stops listening and aborts open exchanges after half a second. */
  @Override
  public synchronized void stop() {
    if (javalin == null) {
      return;
    }
    for (Connector connector : javalin.jettyServer().server().getConnectors()) {
      if (connector instanceof AbstractConnector open) {
        // Idle connections need no time to finish.
        open.setShutdownIdleTimeout(IDLE_MILLIS);
      }
    }
    try {
      javalin.stop();
    } catch (RuntimeException brokenOff) {
      LOGGER.debug("{}:{} aborted open exchanges", settings.host(), settings.port(), brokenOff);
    }
    javalin = null;
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.http.maxRequestSize = settings.maxBody().bytes();
    config.http.compressionStrategy = CompressionStrategy.NONE;
    config.http.defaultContentType = "text/plain; charset=utf-8";
    config.jetty.threadPool = new QueuedThreadPool(bounds.threads(), MIN_THREADS);
    config.jetty.addConnector(
        (server, http) -> new MeasuredConnector(server, http, settings, bounds));
    config.jetty.modifyServer(
        server -> {
          server.setStopTimeout(STOP_MILLIS);
          server.setErrorHandler(new ServerErrors());
          // Stands before the routes, which are added to it.
          server.setHandler(new RequestThreads(bounds, guard::accepts, briefs));
          connections = new ConnectionLimits(server, settings, bounds);
          server.addBean(connections);
        });
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setSendServerVersion(false);
          // An answer that waits for as long as the timeout of idle connections was cut off, or the
          // next request on its connection failed. Bodies and answers have bounds of their own.
          http.setIdleTimeout(LONGEST_EXCHANGE.toMillis());
        });
    config.routes.before(this::receive);
    RouteHandlers handlers = new RouteHandlers(guard, bodies);
    for (Route route : routes) {
      Handler guarded = handlers.of(route);
      config.routes.addHttpHandler(HandlerType.findOrCreate(route.method()), route.path(), guarded);
      if (route.method().equals("GET")) {
        // By default, Javalin answers HEAD on every GET route with 200, without checking a token.
        config.routes.addHttpHandler(
            HandlerType.HEAD, route.path(), RouteHandlers.head(route, guarded));
      }
    }
    config.routes.exception(MillraceException.class, ErrorResponses::known);
    config.routes.exception(HttpResponseException.class, this::refuse);
    config.routes.exception(Exception.class, ErrorResponses::unexpected);
  }

  private void receive(Context ctx) {
    SecurityHeaders.ALL.forEach(ctx::header);
    if (ctx.path().startsWith("/v1/")) {
      ctx.header("Cache-Control", "no-store");
    }
    try {
      guard.checkHost(ctx);
    } catch (MillraceException e) {
      RequestThreads.requireRoomForStranger(ctx);
      throw e;
    }
  }

  /** An unknown path is reported to a caller without credentials only as missing credentials. */
  private void refuse(HttpResponseException failure, Context ctx) {
    boolean reveals = failure.getStatus() == 404 || failure.getStatus() == 405;
    if (reveals && !guard.known(ctx)) {
      Refusals.refuseStranger(
          ctx,
          bodies,
          Problem.of(ErrorCode.UNAUTHENTICATED, "a token is required for " + ctx.path()));
      return;
    }
    ErrorResponses.ofServer(failure, ctx, metrics.role());
  }

  private void ready(Context ctx) {
    Map<String, String> problems = health.problems();
    if (problems.isEmpty()) {
      ctx.result("ok\n");
      return;
    }
    StringBuilder text = new StringBuilder();
    problems.forEach(
        (check, problem) -> text.append(check).append(": ").append(problem).append('\n'));
    ctx.status(ErrorCode.UNAVAILABLE.status()).result(text.toString());
  }

  private void scrape(Context ctx) {
    ctx.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.scrape());
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }
}
