package io.millrace.platform.http;

import io.javalin.http.Context;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.net.URI;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticates and authorises callers. Thread-safe. */
final class Guard {
  private static final Logger LOGGER = LoggerFactory.getLogger(Guard.class);
  private static final String BEARER = "Bearer ";
  private static final int MAX_WRONG_TOKENS = 1_000;
  private static final Pattern LOOPBACK = Pattern.compile("127\\.\\d+\\.\\d+\\.\\d+");
  private static final String SIGNED = SignedCalls.SCHEME + " ";

  private final Callers callers;
  private final FailedLogins wrongTokens = new FailedLogins(MAX_WRONG_TOKENS, new SystemClock());
  private final Set<String> hostNames;

  Guard(Callers callers, WebSettings settings) {
    this.callers = callers;
    this.hostNames = new TreeSet<>(settings.hostNames());
    hostNames.add(settings.host().toLowerCase(Locale.ROOT));
    hostNames.add("localhost");
    hostNames.add("[::1]");
  }

  /** Refuses a request with an unknown Host header: another site may have rebound its name. */
  void checkHost(Context ctx) {
    String host = ctx.header("Host");
    if (!accepts(host)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "this server does not accept the host name '"
              + hostName(host)
              + "'; add it to hostNames");
    }
  }

  /** Whether the server answers to this Host header. */
  boolean accepts(String host) {
    String name = hostName(host);
    return hostNames.contains(name) || LOOPBACK.matcher(name).matches();
  }

  /** Lets the request through to the route, or refuses it. */
  void admit(Context ctx, Route route) {
    if (route.open()) {
      return;
    }
    Principal principal = caller(ctx).orElseThrow(() -> stranger(ctx));
    if (!route.roles().contains(principal.role())) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the role "
              + principal.role().label()
              + " is not permitted to do this; permitted roles: "
              + String.join(", ", permitted(route.roles())));
    }
    if (principal.node().isPresent()) {
      callers.nodes().accept(principal);
    }
    ctx.attribute(Requests.PRINCIPAL, principal);
    ctx.attribute(Requests.ADMISSION, admission(ctx, principal));
  }

  /** The roles that a token can have; those of servers and attempts only if it has no others. */
  private static Set<String> permitted(Set<Role> roles) {
    boolean people = roles.stream().anyMatch(Role::isOfPeople);
    return roles.stream()
        .filter(role -> !people || role.isOfPeople())
        .map(Role::label)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Whether the credential of the request is still that of the caller: asked again while the answer
   * is a stream. A failure to find out ends the stream; its reader connects again.
   */
  private BooleanSupplier admission(Context ctx, Principal principal) {
    String authorization = ctx.header("Authorization");
    String session = ctx.cookie(Requests.SESSION_COOKIE);
    String method = ctx.method().name();
    String path = path(ctx);
    return () -> {
      try {
        Optional<Principal> now =
            authorization == null
                ? callers.sessions().apply(session)
                : authorized(authorization, method, path);
        if (principal.node().isPresent()) {
          callers.nodes().accept(principal);
        }
        return now.filter(principal::equals).isPresent();
      } catch (RuntimeException e) {
        LOGGER.debug("cannot find out whether {} is still admitted", principal, e);
        return false;
      }
    };
  }

  /**
   * The caller, by bearer token or session cookie; an unsafe call with a cookie must come from the
   * dashboard.
   */
  Optional<Principal> caller(Context ctx) {
    String authorization = ctx.header("Authorization");
    if (authorization != null) {
      return authorized(authorization, ctx.method().name(), path(ctx));
    }
    String cookie = ctx.cookie(Requests.SESSION_COOKIE);
    if (cookie == null) {
      return Optional.empty();
    }
    if (!safe(ctx) && !sameOrigin(ctx)) {
      throw new MillraceException(ErrorCode.FORBIDDEN, "requests of other sites are refused");
    }
    return callers.sessions().apply(cookie);
  }

  /**
   * A caller without valid credentials; one that guesses is slowed down. Right credentials are
   * accepted from the same address all the same: others share it, behind a router or a proxy.
   */
  private MillraceException stranger(Context ctx) {
    Optional<MillraceException> expired = expired(ctx.header("Authorization"));
    if (expired.isPresent()) {
      return expired.get();
    }
    String authorization = ctx.header("Authorization");
    if (authorization != null && authorization.startsWith(SIGNED)) {
      // Counted but not limited: nonces expire, and the caller learns only so that it needs
      // another.
      wrongTokens.note(RequestThreads.client(ctx).name());
    } else if (authorization != null || ctx.cookie(Requests.SESSION_COOKIE) != null) {
      wrongTokens.count(RequestThreads.client(ctx).name());
    }
    String wrong =
        authorization != null && authorization.startsWith(BEARER)
            ? "the token that was sent is not one of this cluster; "
            : "";
    return new MillraceException(
        ErrorCode.UNAUTHENTICATED,
        wrong
            + "a token is required: Authorization: Bearer TOKEN, from a file in the central"
            + " manager's tokens folder");
  }

  /** Only the holder of a token that the cluster has issued is told that it has expired. */
  private Optional<MillraceException> expired(String authorization) {
    return authorization == null || !authorization.startsWith(BEARER)
        ? Optional.empty()
        : callers
            .tokens()
            .expired(authorization.substring(BEARER.length()).strip())
            .map(
                since ->
                    new MillraceException(
                        ErrorCode.UNAUTHENTICATED,
                        "the token expired %s ago by this server's clock; get a new token, or"
                                .formatted(Durations.format(since.truncatedTo(ChronoUnit.SECONDS)))
                            + " correct the clock of this server or of the one that issued it if"
                            + " it is wrong"));
  }

  private Optional<Principal> authorized(String authorization, String method, String path) {
    if (authorization.startsWith(BEARER)) {
      return callers.tokens().verify(authorization.substring(BEARER.length()).strip());
    }
    if (authorization.startsWith(SIGNED)) {
      String token = authorization.substring(SIGNED.length()).strip();
      return callers.tokens().calls().verify(token, method, path);
    }
    return Optional.empty();
  }

  /** Whether the request is authorized by a signature, as those of servers are. */
  static boolean signed(Context ctx) {
    String authorization = ctx.header("Authorization");
    return authorization != null && authorization.startsWith(SIGNED);
  }

  private static String path(Context ctx) {
    return CallSigner.path(ctx.req().getRequestURI(), ctx.req().getQueryString());
  }

  private static boolean safe(Context ctx) {
    String method = ctx.method().name();
    return method.equals("GET") || method.equals("HEAD");
  }

  /**
   * Refuses a request that a page of another site has caused. Browsers say so; other programs send
   * neither header.
   */
  static void requireSameSite(Context ctx) {
    String site = ctx.header("Sec-Fetch-Site");
    boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
    if (foreign || (ctx.header("Origin") != null && !sameOrigin(ctx))) {
      throw new MillraceException(ErrorCode.FORBIDDEN, "requests of other sites are refused");
    }
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

  private static String hostName(String host) {
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
