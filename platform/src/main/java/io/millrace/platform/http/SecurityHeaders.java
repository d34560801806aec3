package io.millrace.platform.http;

import java.util.Map;

/** The headers that every answer carries, so that browsers do no more with it than they should. */
final class SecurityHeaders {
  static final Map<String, String> ALL =
      Map.of(
          "X-Content-Type-Options",
          "nosniff",
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none';"
              + " form-action 'self'",
          "Referrer-Policy",
          "no-referrer");

  private SecurityHeaders() {}
}
