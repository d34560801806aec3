package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.login.LoginCodes;
import io.millrace.manager.login.LoginSessions;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;
import java.util.Optional;

/** Starts and ends sessions of the dashboard, with a one-time code or a token. */
public final class LoginRoutes {
  private static final RequestParameter<String> CODE =
      RequestParameter.pathText("code", "the one-time code of the link");

  private final LoginCodes codes;
  private final TokenVerifier tokens;
  private final LoginSessions sessions;

  public LoginRoutes(LoginCodes codes, TokenVerifier tokens, LoginSessions sessions) {
    this.codes = codes;
    this.tokens = tokens;
    this.sessions = sessions;
  }

  /** The body of a login. */
  record Login(String token) {
    /** Does not show the token. */
    @Override
    public String toString() {
      return "Login[]";
    }
  }

  /**
   * A link that logs in once.
   *
   * @param code its code
   * @param url where a browser opens it
   */
  record LoginLink(String code, String url) {
    /** Does not show the code. */
    @Override
    public String toString() {
      return "LoginLink[]";
    }
  }

  /**
   * Who a caller is.
   *
   * @param subject as it is recorded with what the caller changes
   */
  record CallerView(String role, String subject) {}

  /** The answer to a login: the role of the user. */
  record OpenedSession(String role) {}

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/login-codes", LoginCodes.USER_ROLES, this::create)
            .described(
                named("createLoginCode", "A link that logs the caller in")
                    .answers(LoginLink.class)),
        Route.get("/v1/caller", Role.readers(), this::caller)
            .described(
                named("showCaller", "The role and the name of the caller")
                    .answers(CallerView.class)),
        Route.open("POST", "/login/{code}", this::redeem)
            .described(
                named("redeemLoginCode", "Opens a session with a one-time code, and redirects")
                    .reads(CODE)
                    .answersEmpty(303)
                    .refuses(ErrorCode.FORBIDDEN, ErrorCode.RATE_LIMITED)),
        Route.open("POST", "/v1/login", this::login)
            .described(
                named("logIn", "Opens a session of a browser with a token")
                    .takes(Login.class)
                    .answers(OpenedSession.class)
                    .refuses(
                        ErrorCode.UNAUTHENTICATED, ErrorCode.FORBIDDEN, ErrorCode.RATE_LIMITED)),
        Route.open("POST", "/v1/logout", this::logout)
            .described(
                named("logOut", "Ends the session of a browser")
                    .answersEmpty(204)
                    .refuses(ErrorCode.FORBIDDEN)));
  }

  private void create(Context ctx) {
    // A session that comes from a session's code would outlive its log-out.
    if (ctx.header("Authorization") == null) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "a browser session cannot create a login link; run 'millrace dashboard', which uses a token");
    }
    String code = codes.create(Requests.principal(ctx));
    String url = ctx.scheme() + "://" + ctx.header("Host") + "/login/" + code;
    Requests.answer(ctx, new LoginLink(code, url));
  }

  private void caller(Context ctx) {
    Principal caller = Requests.principal(ctx);
    Requests.answer(ctx, new CallerView(caller.role().label(), caller.subject()));
  }

  private void redeem(Context ctx) {
    Requests.requireSameSite(ctx);
    ctx.header("Cache-Control", "no-store");
    Optional<Principal> user = codes.redeem(Requests.value(ctx, CODE));
    if (user.isEmpty()) {
      Requests.failedLogin(ctx);
    } else {
      open(ctx, user.get());
    }
    // The next request is a GET; the page says that the link is not valid.
    ctx.status(HttpStatus.SEE_OTHER);
    ctx.header("Location", user.isPresent() ? "/" : "/login?link=invalid");
  }

  private void login(Context ctx) {
    Requests.requireSameSite(ctx);
    String token = Requests.json(ctx, Login.class).token();
    Optional<Principal> user =
        Optional.ofNullable(token)
            .map(String::strip)
            .flatMap(tokens::verify)
            .filter(principal -> LoginCodes.USER_ROLES.contains(principal.role()));
    if (user.isEmpty()) {
      Requests.failedLogin(ctx);
      throw new MillraceException(
          ErrorCode.UNAUTHENTICATED,
          "this is not the token of an admin, operator or viewer; the tokens are in the folder"
              + " 'tokens' of the central manager's data directory");
    }
    open(ctx, user.get());
    Requests.answer(ctx, new OpenedSession(user.get().role().label()));
  }

  private void logout(Context ctx) {
    Requests.requireSameSite(ctx);
    String session = ctx.cookie(Requests.SESSION_COOKIE);
    if (session != null) {
      sessions.end(session);
    }
    put(ctx, "", 0);
    ctx.status(204);
  }

  private void open(Context ctx, Principal user) {
    put(ctx, sessions.open(user), (int) LoginSessions.VALIDITY.toSeconds());
  }

  /** Scripts cannot read the cookie, and pages of other sites cannot send it. */
  private static void put(Context ctx, String session, int seconds) {
    Cookie cookie = new Cookie(Requests.SESSION_COOKIE, session);
    cookie.setPath("/");
    cookie.setHttpOnly(true);
    // A proxy that speaks TLS with the browser says so.
    boolean proxied = "https".equalsIgnoreCase(ctx.header("X-Forwarded-Proto"));
    cookie.setSecure(proxied || ctx.scheme().equals("https"));
    cookie.setSameSite(SameSite.STRICT);
    cookie.setMaxAge(seconds);
    ctx.cookie(cookie);
  }
}
