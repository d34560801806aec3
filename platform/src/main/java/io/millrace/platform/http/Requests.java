package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.openapi.RequestParameter;
import java.io.InputStream;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** Reads requests, with precise messages about errors in them, and writes responses. */
public final class Requests {
  /** The cookie that carries a browser's session. */
  public static final String SESSION_COOKIE = "millrace_session";

  static final String PRINCIPAL = "millrace.principal";
  static final String ADMISSION = "millrace.admission";
  static final String FAILED_LOGINS = "millrace.failedLogins";

  private static final BodyReader BODIES = BodyReader.tolerant();

  private Requests() {}

  /** The caller; only on routes that require a role. */
  public static Principal principal(Context ctx) {
    Principal principal = ctx.attribute(PRINCIPAL);
    if (principal == null) {
      throw new IllegalStateException("an open route has no principal: " + ctx.path());
    }
    return principal;
  }

  /**
   * Asks whether the caller's credential is still valid, so that a stream ends with the session, or
   * the token, that opened it. The supplier is thread-safe, may block on the database, and stays
   * usable after the handler has returned; only on routes that require a role.
   */
  public static BooleanSupplier admission(Context ctx) {
    BooleanSupplier admission = ctx.attribute(ADMISSION);
    if (admission == null) {
      throw new IllegalStateException("an open route admits everybody: " + ctx.path());
    }
    return admission;
  }

  /**
   * Refuses a node that speaks of another node: what is said must be about the caller itself.
   *
   * @param id of the node that the request is about
   * @param name its name; null if the request does not state it
   * @throws MillraceException FORBIDDEN; INVALID_REQUEST if the request names no node
   */
  public static void requireNode(Context ctx, UUID id, String name) {
    Principal caller = principal(ctx);
    if (id == null && name == null) {
      throw unnamed(caller);
    }
    boolean itself =
        caller.node().filter(own -> own.equals(id)).isPresent()
            && (name == null || name.equals(caller.subject()));
    if (!itself) {
      throw notItself(caller, name == null ? String.valueOf(id) : name);
    }
  }

  /** The same where a request states only the name. */
  public static void requireNode(Context ctx, String name) {
    Principal caller = principal(ctx);
    if (name == null) {
      throw unnamed(caller);
    }
    if (caller.node().isEmpty() || !caller.subject().equals(name)) {
      throw notItself(caller, name);
    }
  }

  private static MillraceException unnamed(Principal caller) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "the request does not name the node that sends it, which is %s"
            .formatted(caller.subject()));
  }

  private static MillraceException notItself(Principal caller, String other) {
    return new MillraceException(
        ErrorCode.FORBIDDEN,
        "%s %s is not permitted to act for node %s; a node acts only for itself"
            .formatted(caller.role().label(), caller.subject(), other));
  }

  /**
   * Refuses a request that a page of another site has caused, on routes that change the session.
   *
   * @throws MillraceException FORBIDDEN
   */
  public static void requireSameSite(Context ctx) {
    Guard.requireSameSite(ctx);
  }

  /**
   * Counts a failed attempt to log in or to join; only on open routes.
   *
   * @throws MillraceException RATE_LIMITED if the client's address has failed too often
   */
  public static void failedLogin(Context ctx) {
    FailedLogins failures = ctx.attribute(FAILED_LOGINS);
    if (failures == null) {
      throw new IllegalStateException("the server of " + ctx.path() + " counts no log-ins");
    }
    failures.count(RequestThreads.client(ctx).name());
  }

  /**
   * The body; blocks until it has arrived, within bounds of size and time.
   *
   * @throws MillraceException BODY_TOO_LARGE, TIMEOUT, UNAVAILABLE or MALFORMED_BODY
   */
  public static byte[] body(Context ctx) {
    return RequestBodies.body(ctx);
  }

  /**
   * The body as a stream of any length, only on streamed routes. Reading blocks, and throws TIMEOUT
   * if the body arrives too slowly.
   *
   * @throws MillraceException UNAVAILABLE if too many other bodies are arriving
   */
  public static InputStream stream(Context ctx) {
    return RequestBodies.stream(ctx);
  }

  /** The JSON body as a value. */
  public static <T extends Record> T json(Context ctx, Class<T> type) {
    return BODIES.one(ctx, type);
  }

  /** Answers with JSON. */
  public static void answer(Context ctx, Object value) {
    ctx.contentType("application/json").result(Json.writeBytes(value));
  }

  /**
   * The value of a parameter, which the route's description must name.
   *
   * @throws MillraceException INVALID_REQUEST if it is missing or of another form
   */
  public static <T> T value(Context ctx, RequestParameter<T> parameter) {
    if (!QueryCheck.route(ctx).description().parameters().contains(parameter)) {
      throw new IllegalStateException(
          "the description of %s %s does not name the parameter %s, which its handler reads"
              .formatted(ctx.method().name(), ctx.path(), parameter.name()));
    }
    return parameter.of(
        switch (parameter.place()) {
          case PATH -> ctx.pathParam(parameter.name());
          case QUERY -> ctx.queryParam(parameter.name());
          case HEADER -> ctx.header(parameter.name());
        });
  }
}
