package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import java.time.Duration;
import java.util.UUID;

/** Reads requests, with precise messages about errors in them, and writes responses. */
public final class Requests {
  /** The cookie that carries a browser's token. */
  public static final String SESSION_COOKIE = "millrace_session";

  static final String PRINCIPAL = "millrace.principal";

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

  /** The JSON body as a value. */
  public static <T extends Record> T json(Context ctx, Class<T> type) {
    return BODIES.one(ctx, type);
  }

  /** Answers with JSON. */
  public static void answer(Context ctx, Object value) {
    ctx.contentType("application/json").result(Json.writeBytes(value));
  }

  /** An integer of the query within bounds, or its default. */
  public static long number(Context ctx, String name, long usual, long min, long max) {
    String text = ctx.queryParam(name);
    if (text == null || text.isEmpty()) {
      return usual;
    }
    return bounded(name, text, min, max);
  }

  /** An integer of the path, from 1. */
  public static long pathNumber(Context ctx, String name) {
    return bounded(name, ctx.pathParam(name), 1, Long.MAX_VALUE);
  }

  /** An index of the path, from 0. */
  public static long pathIndex(Context ctx, String name) {
    return bounded(name, ctx.pathParam(name), 0, Long.MAX_VALUE);
  }

  private static long bounded(String name, String text, long min, long max) {
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported below, with the bounds.
    }
    throw new MillraceException(
        ErrorCode.INVALID_REQUEST,
        name + " is a whole number from " + min + " to " + max + ", not '" + text + "'");
  }

  /** A UUID of the path. */
  public static UUID pathId(Context ctx, String name) {
    String text = ctx.pathParam(name);
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, name + " is a UUID, not '" + text + "'", e);
    }
  }

  /** A duration of the query, limited to the longest, or its default. */
  public static Duration duration(Context ctx, String name, Duration usual, Duration longest) {
    String text = ctx.queryParam(name);
    if (text == null || text.isEmpty()) {
      return usual;
    }
    try {
      Duration asked = Durations.parse(text);
      return asked.compareTo(longest) < 0 ? asked : longest;
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, name + ": " + e.getMessage(), e);
    }
  }

  /** A boolean of the query; false if absent. */
  public static boolean flag(Context ctx, String name) {
    String text = ctx.queryParam(name);
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.isEmpty() || text.equals("true")) {
      return true;
    }
    throw new MillraceException(
        ErrorCode.INVALID_REQUEST, name + " is true or false, not '" + text + "'");
  }
}
