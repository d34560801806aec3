package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests whose bodies may still be arriving. Of strangers nothing more is read; known
 * callers are read from within bounds, so that they see the refusal.
 */
final class Refusals {
  private static final Logger LOGGER = LoggerFactory.getLogger(Refusals.class);

  private Refusals() {}

  /** Refuses a caller without credentials; blocks until the client has received the answer. */
  static void refuseStranger(Context ctx, Problem problem) {
    RequestThreads.requireRoomForStranger(ctx);
    closeAfterBody(ctx);
    ErrorResponses.answer(ctx, problem);
    ctx.skipRemainingHandlers();
  }

  /** Closes the connection after the answer if there is a body, which may not have arrived. */
  static void closeAfterBody(Context ctx) {
    if (ctx.req().getContentLengthLong() > 0 || ctx.header("Transfer-Encoding") != null) {
      ctx.header("Connection", "close");
    }
  }

  /**
   * Answers first and then, if the caller is known, reads a little of the rest: a client that is
   * still writing when the connection is closed may see a broken pipe instead of the refusal.
   */
  static void refuseBody(Context ctx, Route route, RequestBodies bodies, Problem problem) {
    byte[] text = Json.writeBytes(problem);
    ErrorResponses.describe(ctx, problem);
    if (route.open()) {
      closeAfterBody(ctx);
    }
    HttpServletResponse answer = ctx.res();
    answer.setContentLength(text.length);
    ctx.skipRemainingHandlers();
    try {
      answer.getOutputStream().write(text);
      answer.flushBuffer();
    } catch (IOException e) {
      LOGGER.trace("the client of a refused body has disconnected", e);
      return;
    }
    if (!route.open()) {
      bodies.discard(ctx);
    }
  }
}
