package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests whose bodies may still be arriving: answers first and then reads some of the
 * rest, within bounds that are closer for strangers. A client that is still writing when the
 * connection is closed may see a broken pipe instead of the refusal.
 */
final class Refusals {
  private static final Logger LOGGER = LoggerFactory.getLogger(Refusals.class);

  private Refusals() {}

  /** Refuses a caller without credentials; blocks until the client has received the answer. */
  static void refuseStranger(Context ctx, RequestBodies bodies, Problem problem) {
    RequestThreads.requireRoomForStranger(ctx);
    if (!hasBody(ctx)) {
      ErrorResponses.answer(ctx, problem);
      ctx.skipRemainingHandlers();
      return;
    }
    ctx.header("Connection", "close");
    if (answer(ctx, problem)) {
      bodies.discardOfStranger(ctx);
    }
  }

  /** Refuses a request of the route; blocks until the client has received the answer. */
  static void refuseBody(Context ctx, Route route, RequestBodies bodies, Problem problem) {
    if (route.open()) {
      refuseStranger(ctx, bodies, problem);
    } else if (answer(ctx, problem)) {
      bodies.discard(ctx);
    }
  }

  /** Closes the connection after the answer if there is a body, which may not have arrived. */
  static void closeAfterBody(Context ctx) {
    if (hasBody(ctx)) {
      ctx.header("Connection", "close");
    }
  }

  private static boolean hasBody(Context ctx) {
    return ctx.req().getContentLengthLong() > 0 || ctx.header("Transfer-Encoding") != null;
  }

  // Whether the client is still there.
  private static boolean answer(Context ctx, Problem problem) {
    byte[] text = Json.writeBytes(problem);
    ErrorResponses.describe(ctx, problem);
    HttpServletResponse answer = ctx.res();
    answer.setContentLength(text.length);
    ctx.skipRemainingHandlers();
    try {
      answer.getOutputStream().write(text);
      answer.flushBuffer();
    } catch (IOException e) {
      LOGGER.trace("the client of a refused body has disconnected", e);
      return false;
    }
    return true;
  }
}
