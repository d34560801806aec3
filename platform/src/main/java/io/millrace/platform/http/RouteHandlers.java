package io.millrace.platform.http;

import io.javalin.http.Handler;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;

/** Puts the checks of callers and bodies before the handlers of routes. Thread-safe. */
final class RouteHandlers {
  private static final int MAX_FAILED_LOGINS = 30;

  private final Guard guard;
  private final RequestBodies bodies;
  private final FailedLogins failedLogins = new FailedLogins(MAX_FAILED_LOGINS, new SystemClock());

  RouteHandlers(Guard guard, RequestBodies bodies) {
    this.guard = guard;
    this.bodies = bodies;
  }

  /** The handler of a route, behind the checks. */
  Handler of(Route route) {
    return ctx -> {
      try {
        // First of all: nothing is read of a stranger's body.
        guard.admit(ctx, route);
      } catch (MillraceException e) {
        Refusals.refuseStranger(ctx, bodies, e.problem());
        return;
      }
      if (route.open()) {
        RequestThreads.requireRoomForStranger(ctx);
      }
      if (!route.streaming() && ctx.req().getContentLengthLong() > bodies.largest(route)) {
        Refusals.refuseBody(ctx, route, bodies, ErrorResponses.tooLarge());
        return;
      }
      QueryCheck.begin(ctx, route);
      bodies.serve(ctx, route);
      ctx.attribute(Requests.FAILED_LOGINS, failedLogins);
      try {
        QueryCheck.check(ctx, route);
        route.handler().handle(ctx);
      } catch (MillraceException e) {
        if (route.streaming()) {
          Refusals.refuseBody(ctx, route, bodies, e.problem());
          return;
        }
        if (route.open()) {
          Refusals.closeAfterBody(ctx);
        }
        throw e;
      } catch (Error failure) {
        ErrorResponses.unexpected(failure, ctx);
      } finally {
        RequestBodies.release(ctx);
      }
    };
  }

  /** The handler of HEAD on the route: only open routes have one. */
  static Handler head(Route route, Handler guarded) {
    if (route.open()) {
      return guarded;
    }
    return ctx -> {
      throw ErrorResponses.methodNotAllowed(route.method());
    };
  }
}
