package io.millrace.platform.http;

import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever goes wrong in a handler into problem details. */
final class ErrorResponses {
  private static final Logger LOGGER = LoggerFactory.getLogger(ErrorResponses.class);

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

  static void ofServer(HttpResponseException failure, Context ctx) {
    if (isOver(ctx)) {
      return;
    }
    answer(
        ctx,
        switch (failure.getStatus()) {
          case 404 -> unknownRoute(ctx);
          case 413 -> tooLarge();
          default -> Problem.of(ErrorCode.INVALID_REQUEST, failure.getMessage());
        });
  }

  static Problem unknownRoute(Context ctx) {
    return Problem.of(
        ErrorCode.UNKNOWN_ROUTE, "nothing answers " + ctx.method().name() + " " + ctx.path());
  }

  static Problem tooLarge() {
    return Problem.of(
        ErrorCode.BODY_TOO_LARGE,
        "the body is larger than this server takes; send smaller batches");
  }

  static void unexpected(Throwable failure, Context ctx) {
    if (isOver(ctx)) {
      return;
    }
    if (failure instanceof InterruptedException) {
      // Only the server's stop interrupts handlers, such as long polls.
      answer(ctx, Problem.of(ErrorCode.UNAVAILABLE, "the server is stopping; ask another one"));
      return;
    }
    String incident = UUID.randomUUID().toString().substring(0, 8);
    LOGGER.error("incident {} in {} {}", incident, ctx.method(), ctx.path(), failure);
    answer(
        ctx,
        Problem.of(
            ErrorCode.INTERNAL,
            "something unexpected went wrong; the server's log tells more under incident "
                + incident));
  }

  /**
   * Whether the server has taken the request back, as it does with streams whose client went away.
   * Javalin runs the rest of such a request on the thread that closes the stream, and when a
   * handler of failures fails there, calls it again without end.
   */
  private static boolean isOver(Context ctx) {
    try {
      return ctx.req().getRequestURI() == null;
    } catch (NullPointerException takenBack) {
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
   * Seconds after which a repetition may be worth it: soon where a node is only busy or changing,
   * later where operators or a disk have the say; never for mistakes of the caller's.
   */
  private static Optional<String> retryAfter(String code) {
    for (ErrorCode known : ErrorCode.values()) {
      if (known.name().equals(code)) {
        return switch (known) {
          case QUEUE_FULL, RATE_LIMITED, UNAVAILABLE -> Optional.of("1");
          case NO_SEGMENT, UNREACHABLE, TIMEOUT -> Optional.of("2");
          case QUEUE_PAUSED, DISK_FULL -> Optional.of("10");
          default -> Optional.empty();
        };
      }
    }
    return Optional.empty();
  }
}
