package io.millrace.platform.http;

import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever goes wrong in a handler into problem details. */
final class ErrorResponses {
  private static final Logger LOGGER = LoggerFactory.getLogger(ErrorResponses.class);

  private static final Pattern COMMA = Pattern.compile(", *");
  // Where Javalin lists the methods of a path.
  private static final String ALLOWED = "availableMethods";

  private ErrorResponses() {}

  static void known(MillraceException failure, Context ctx) {
    if (isOver(ctx)) {
      return;
    }
    if (failure.code().status() >= 500 && failure.code() != ErrorCode.UNAVAILABLE) {
      LOGGER.debug("{} {} answered {}", ctx.method(), ctx.path(), failure.code(), failure);
    }
    answer(ctx, failure.problem());
  }

  /**
   * Answers a request that was refused before a handler saw it.
   *
   * @param role of this server, such as {@code load-balancer}
   */
  static void ofServer(HttpResponseException failure, Context ctx, String role) {
    if (isOver(ctx)) {
      return;
    }
    answer(
        ctx,
        switch (failure.getStatus()) {
          case 404 -> unknownRoute(ctx, role);
          case 405 -> wrongMethod(failure, ctx);
          case 413 -> tooLarge();
          default -> Problem.of(ErrorCode.INVALID_REQUEST, failure.getMessage());
        });
  }

  /** Names the role: another server of the cluster may have the route. */
  static Problem unknownRoute(Context ctx, String role) {
    return Problem.of(
        ErrorCode.UNKNOWN_ROUTE,
        "there is no route %s %s on this server, whose role is %s"
            .formatted(ctx.method().name(), ctx.path(), role));
  }

  /** The refusal of a method at a path that has only other ones. */
  static HttpResponseException methodNotAllowed(String allowed) {
    return new MethodNotAllowedResponse("", Map.of(ALLOWED, allowed));
  }

  private static Problem wrongMethod(HttpResponseException failure, Context ctx) {
    // HEAD is answered only where no token is needed.
    String allowed =
        COMMA
            .splitAsStream(failure.getDetails().getOrDefault(ALLOWED, ""))
            .filter(method -> !method.equals("HEAD"))
            .sorted()
            .collect(Collectors.joining(", "));
    ctx.header("Allow", allowed);
    return Problem.of(
        ErrorCode.METHOD_NOT_ALLOWED,
        "%s is not allowed at %s; use %s"
            .formatted(ctx.method().name(), ctx.path(), allowed.replace(", ", " or ")));
  }

  static Problem tooLarge() {
    return Problem.of(
        ErrorCode.BODY_TOO_LARGE,
        "the body is larger than this server accepts; send smaller batches");
  }

  static void unexpected(Throwable failure, Context ctx) {
    if (isOver(ctx)) {
      return;
    }
    if (failure instanceof InterruptedException) {
      // Handlers, such as long polls, are interrupted only when the server stops.
      answer(ctx, Problem.of(ErrorCode.UNAVAILABLE, "the server is stopping; try another one"));
      return;
    }
    String incident = UUID.randomUUID().toString().substring(0, 8);
    LOGGER.error("incident {} in {} {}", incident, ctx.method(), ctx.path(), failure);
    answer(
        ctx,
        Problem.of(
            ErrorCode.INTERNAL,
            "an internal error occurred; the server's log has details under incident " + incident));
  }

  /**
   * Whether the server has recycled the request, as it does with streams whose client disconnected.
   * Javalin runs the rest of such a request on the thread that closes the stream, and if an
   * exception handler fails there, calls it again endlessly.
   */
  private static boolean isOver(Context ctx) {
    try {
      return ctx.req().getRequestURI() == null;
    } catch (NullPointerException recycled) {
      return true;
    }
  }

  static void answer(Context ctx, Problem problem) {
    if (ctx.res().isCommitted()) {
      return;
    }
    describe(ctx, problem);
    ctx.result(Json.writeBytes(problem));
  }

  /** Status and headers of the problem's answer. */
  static void describe(Context ctx, Problem problem) {
    ctx.status(problem.status());
    ctx.contentType(Problem.MEDIA_TYPE);
    retryAfter(problem.code()).ifPresent(seconds -> ctx.header("Retry-After", seconds));
    if (problem.code().equals(ErrorCode.UNAUTHENTICATED.name())) {
      ctx.header("WWW-Authenticate", "Bearer");
    }
  }

  /**
   * Seconds after which a retry makes sense: soon if a node is only busy or changing, later if it
   * depends on operators or a disk; never for errors of the caller.
   */
  private static Optional<String> retryAfter(String code) {
    for (ErrorCode known : ErrorCode.values()) {
      if (known.name().equals(code)) {
        return switch (known) {
          case QUEUE_FULL, SESSIONS_FULL, RATE_LIMITED, UNAVAILABLE -> Optional.of("1");
          case NO_SEGMENT, UNREACHABLE, TIMEOUT -> Optional.of("2");
          case QUEUE_PAUSED, DISK_FULL -> Optional.of("10");
          default -> Optional.empty();
        };
      }
    }
    return Optional.empty();
  }
}
