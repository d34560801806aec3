package io.millrace.manager.http;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.SameSite;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.node.LoginCodes;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.TokenVerifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts and ends sessions of the dashboard, with a one-time code or a token. */
public final class LoginRoutes {
  private final LoginCodes codes;
  private final TokenVerifier tokens;

  public LoginRoutes(LoginCodes codes, TokenVerifier tokens) {
    this.codes = codes;
    this.tokens = tokens;
  }

  /** The body of a login. */
  record Login(String token) {}

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/login-codes", LoginCodes.USER_ROLES, this::create),
        Route.open("GET", "/login/{code}", this::redeem),
        Route.open("POST", "/v1/login", this::login),
        Route.open("POST", "/v1/logout", LoginRoutes::logout));
  }

  private void create(Context ctx) {
    String code = codes.create(Requests.principal(ctx));
    String url = ctx.scheme() + "://" + ctx.header("Host") + "/login/" + code;
    Requests.answer(ctx, Map.of("code", code, "url", url));
  }

  private void redeem(Context ctx) {
    ctx.header("Cache-Control", "no-store");
    Optional<String> token = codes.redeem(ctx.pathParam("code"));
    token.ifPresent(one -> open(ctx, one, (int) LoginCodes.SESSION_VALIDITY.toSeconds()));
    ctx.redirect(token.isPresent() ? "/" : "/login");
  }

  private void login(Context ctx) {
    String token = Requests.json(ctx, Login.class).token();
    Optional<Principal> user =
        Optional.ofNullable(token)
            .map(String::strip)
            .flatMap(tokens::verify)
            .filter(principal -> LoginCodes.USER_ROLES.contains(principal.role()));
    if (user.isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNAUTHENTICATED,
          "this is not the token of an admin, operator or viewer; the tokens are in the folder"
              + " 'tokens' of the central manager's data directory");
    }
    open(ctx, token.strip(), -1);
    Requests.answer(ctx, Map.of("role", user.get().role().label()));
  }

  private static void logout(Context ctx) {
    open(ctx, "", 0);
    ctx.status(204);
  }

  /** Scripts cannot read the cookie, and pages of other sites cannot send it. */
  private static void open(Context ctx, String token, int seconds) {
    Cookie cookie = new Cookie(Requests.SESSION_COOKIE, token);
    cookie.setPath("/");
    cookie.setHttpOnly(true);
    cookie.setSecure(ctx.scheme().equals("https"));
    cookie.setSameSite(SameSite.STRICT);
    cookie.setMaxAge(seconds);
    ctx.cookie(cookie);
  }
}
