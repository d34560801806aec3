package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Authenticates and authorises callers. Thread-safe. */
final class Guard {
  private static final String BEARER = "Bearer ";

  private final TokenVerifier tokens;
  private final Set<String> hostNames;

  Guard(TokenVerifier tokens, WebSettings settings) {
    this.tokens = tokens;
    this.hostNames = new TreeSet<>(settings.hostNames());
    hostNames.add(settings.host().toLowerCase(Locale.ROOT));
    hostNames.add("localhost");
    hostNames.add("[::1]");
  }

  /** Refuses a request with an unknown Host header: another site may have rebound its name. */
  void checkHost(Context ctx) {
    String name = hostName(ctx);
    if (!hostNames.contains(name) && !name.matches("127\\.\\d+\\.\\d+\\.\\d+")) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "this server does not accept the host name '" + name + "'; add it to hostNames");
    }
  }

  /** Lets the request through to the route, or refuses it. */
  void admit(Context ctx, Route route) {
    if (route.open()) {
      return;
    }
    Principal principal =
        caller(ctx)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNAUTHENTICATED,
                        "a token is required:"
                            + " Authorization: Bearer TOKEN, from a file in the central"
                            + " manager's tokens folder"));
    if (!route.roles().contains(principal.role())) {
      Set<String> required = new TreeSet<>();
      route.roles().forEach(role -> required.add(role.label()));
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the role "
              + principal.role().label()
              + " is not permitted to do this; permitted roles: "
              + String.join(", ", required));
    }
    ctx.attribute(Requests.PRINCIPAL, principal);
  }

  /**
   * The caller, by bearer token or session cookie; an unsafe call with a cookie must come from the
   * dashboard.
   */
  Optional<Principal> caller(Context ctx) {
    String authorization = ctx.header("Authorization");
    if (authorization != null) {
      return authorization.startsWith(BEARER)
          ? tokens.verify(authorization.substring(BEARER.length()).strip())
          : Optional.empty();
    }
    String cookie = ctx.cookie(Requests.SESSION_COOKIE);
    if (cookie == null) {
      return Optional.empty();
    }
    if (!safe(ctx) && !sameOrigin(ctx)) {
      throw new MillraceException(ErrorCode.FORBIDDEN, "requests of other sites are refused");
    }
    return tokens.verify(cookie);
  }

  private static boolean safe(Context ctx) {
    String method = ctx.method().name();
    return method.equals("GET") || method.equals("HEAD");
  }

  private static boolean sameOrigin(Context ctx) {
    String site = ctx.header("Sec-Fetch-Site");
    if (site != null) {
      return site.equals("same-origin");
    }
    // Browsers send no Sec-Fetch-Site over plain HTTP to other hosts than loopback.
    String origin = ctx.header("Origin");
    String host = ctx.header("Host");
    return origin != null && Set.of("http://" + host, "https://" + host).contains(origin);
  }

  private static String hostName(Context ctx) {
    String host = ctx.header("Host");
    if (host == null) {
      return "";
    }
    try {
      String name = URI.create("http://" + host).getHost();
      return name == null ? host : name.toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException e) {
      return host;
    }
  }

  /**
   * Whether the caller has valid credentials; distinguishes an unknown path from a refused caller.
   */
  boolean known(Context ctx) {
    try {
      return caller(ctx).isPresent();
    } catch (MillraceException refused) {
      return false;
    }
  }
}
