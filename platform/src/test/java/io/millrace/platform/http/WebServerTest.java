package io.millrace.platform.http;

import static io.millrace.platform.http.ServerFixture.problem;
import static io.millrace.platform.openapi.RouteDescription.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.openapi.RequestParameter;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WebServerTest {

  private static final Set<Role> VIEWERS = Set.of(Role.ADMIN, Role.VIEWER);
  private static final Set<Role> ADMINS = Set.of(Role.ADMIN);
  private static final int LIMIT = 1000;

  record Greeting(String name, int times) {}

  @TempDir Path folder;
  private final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.empty());
  private ServerFixture fixture;

  private static final RequestParameter<String> ID =
      RequestParameter.pathText("id", "the thing's name");
  private static final RequestParameter<Long> LIMIT_OF_LIST =
      RequestParameter.number("limit", "the most entries", 10, 1, 100);
  private static final RequestParameter<Duration> WAIT =
      RequestParameter.duration("wait", "how long", Duration.ofSeconds(1), Duration.ofSeconds(30));

  @BeforeEach
  void start() {
    WebSettings settings =
        new WebSettings(
            "127.0.0.1",
            0,
            false,
            List.of("millrace.lan"),
            new DataSize(LIMIT),
            99,
            99,
            Optional.empty());
    List<Route> routes =
        List.of(
            Route.get("/v1/things/{id}", VIEWERS, ctx -> ctx.result(Requests.value(ctx, ID)))
                .described(named("thing", "One thing").reads(ID)),
            Route.post(
                "/v1/things", ADMINS, ctx -> ctx.result("size " + Requests.body(ctx).length)),
            Route.delete("/v1/things/{id}", ADMINS, ctx -> ctx.status(204)),
            Route.post(
                "/v1/greetings",
                ADMINS,
                ctx -> Requests.answer(ctx, Requests.json(ctx, Greeting.class))),
            Route.get(
                    "/v1/waits",
                    Role.readers(),
                    ctx ->
                        ctx.result(
                            Requests.value(ctx, LIMIT_OF_LIST) + " " + Requests.value(ctx, WAIT)))
                .described(named("waits", "Waits").reads(LIMIT_OF_LIST, WAIT)),
            Route.get("/v1/undeclared", VIEWERS, ctx -> ctx.result("" + Requests.value(ctx, WAIT)))
                .described(named("undeclared", "Reads what it does not declare")),
            Route.get(
                "/v1/idle",
                VIEWERS,
                ctx -> ctx.result("" + RequestThreads.connection(ctx).getIdleTimeout())),
            Route.get("/v1/whoami", VIEWERS, ctx -> ctx.result(Requests.principal(ctx).subject())),
            Route.get(
                "/v1/refusal",
                VIEWERS,
                ctx -> {
                  throw new MillraceException(ErrorCode.STALE_ATTEMPT, "attempt 17.1 is over");
                }),
            Route.get(
                "/v1/fault",
                VIEWERS,
                ctx -> {
                  throw new IllegalStateException("the password is hunter2");
                }),
            Route.get(
                "/v1/error",
                VIEWERS,
                ctx -> {
                  throw new AssertionError("the password is hunter2");
                }),
            Route.open("GET", "/login", ctx -> ctx.result("login page")));
    Health health = new Health(Map.of("store", trouble::get));
    fixture = new ServerFixture(folder, settings, health, routes);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  /**
   * A timeout that expires as an answer is sent would cut it off, or fail the next request of the
   * connection: clients wait for as long as idle connections are kept.
   */
  @Test
  void aConnectionIsNotIdleWhileItsRequestIsHandled() throws Exception {
    long millis = Long.parseLong(fixture.send(fixture.get(Role.VIEWER, "/v1/idle")).body());
    assertThat(Duration.ofMillis(millis)).isGreaterThan(Duration.ofHours(1));
  }

  @Test
  void anExpiredTokenIsToldThatItHasExpired() throws Exception {
    ManualClock yesterday = new ManualClock(Instant.now().minus(Duration.ofDays(1)));
    String token =
        new TokenIssuer(KeyFiles.privateKey(folder), yesterday)
            .issue(Principal.of(Role.ADMIN, "ann"), Optional.of(Duration.ofHours(2)));
    HttpResponse<String> answer =
        fixture.send(
            fixture
                .request("GET", "/v1/whoami", BodyPublishers.noBody())
                .header("Authorization", "Bearer " + token));
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(problem(answer).detail()).contains("expired 22h").contains("clock");
  }

  @Test
  void everyRouteThatIsNotMeantToBeOpenRefusesAStranger() throws Exception {
    for (Route route : fixture.server().routes()) {
      String path = route.path().replaceAll("[{<][a-z]+[}>]", "1");
      HttpResponse<String> answer =
          fixture.send(fixture.request(route.method(), path, BodyPublishers.noBody()));
      if (Set.of("/livez", "/readyz", "/v1/nonce", "/login").contains(path)) {
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
      } else {
        assertThat(answer.statusCode()).as(path).isEqualTo(401);
        assertThat(problem(answer).code()).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
      }
    }
  }

  @Test
  void everyRouteRefusesTheRolesThatItDoesNotName() throws Exception {
    for (Route route : fixture.server().routes()) {
      for (Role role : Role.values()) {
        if (!route.open() && !route.roles().contains(role)) {
          String path = route.path().replaceAll("[{<][a-z]+[}>]", "1");
          HttpResponse<String> answer =
              fixture.send(fixture.as(role, route.method(), path, BodyPublishers.noBody()));
          assertThat(answer.statusCode()).as(role + " " + path).isEqualTo(403);
          assertThat(problem(answer).detail()).contains("the role " + role.label(), "admin");
        }
      }
    }
  }

  @Test
  void aRouteWithoutRolesCannotBeMadeByMistake() {
    assertThatThrownBy(() -> Route.get("/v1/open", Set.of(), ctx -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCallerWithTheRoleIsServedAndIdentified() throws Exception {
    HttpResponse<String> thing = fixture.send(fixture.get(Role.VIEWER, "/v1/things/7"));
    assertThat(thing.statusCode()).isEqualTo(200);
    assertThat(thing.body()).isEqualTo("7");

    HttpResponse<String> whoami = fixture.send(fixture.get(Role.VIEWER, "/v1/whoami"));
    assertThat(whoami.body()).isEqualTo("viewer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer nonsense", "Basic YWRtaW46YWRtaW4=", "Bearer ", ""})
  void otherCredentialsAreNone(String authorization) throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture
                .request("GET", "/v1/things/7", BodyPublishers.noBody())
                .header("Authorization", authorization));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
  }

  @Test
  void anUnknownPathTellsAStrangerNothingAndACallerThatItIsUnknown() throws Exception {
    HttpResponse<String> stranger =
        fixture.send(fixture.request("GET", "/v1/none", BodyPublishers.noBody()));
    HttpResponse<String> caller = fixture.send(fixture.get(Role.VIEWER, "/v1/none"));

    assertThat(problem(stranger).code()).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
    assertThat(problem(caller).code()).isEqualTo(ErrorCode.UNKNOWN_ROUTE.name());
    assertThat(problem(caller).detail())
        .isEqualTo("there is no route GET /v1/none on this server, whose role is test");
    assertThat(caller.statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "PROPFIND"})
  void aMethodThatNoRouteNamesLetsNoStrangerIn(String method) throws Exception {
    HttpResponse<String> known =
        fixture.send(fixture.request(method, "/v1/things/7", BodyPublishers.noBody()));
    HttpResponse<String> unknown =
        fixture.send(fixture.request(method, "/v1/none", BodyPublishers.noBody()));

    assertThat(known.statusCode()).isGreaterThanOrEqualTo(400).isEqualTo(unknown.statusCode());
  }

  @Test
  void headIsAnsweredWhereEverybodyMayLook() throws Exception {
    assertThat(
            fixture.send(fixture.request("HEAD", "/livez", BodyPublishers.noBody())).statusCode())
        .isEqualTo(200);
    assertThat(
            fixture
                .send(fixture.as(Role.VIEWER, "HEAD", "/v1/things/7", BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1//things/7", "/v1/things/7/", "/V1/things/7", "/v1/./things/7"})
  void anotherSpellingOfAPathDoesNotEvadeTheCheck(String path) throws Exception {
    String answer = fixture.raw("GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n");

    assertThat(answer).containsPattern("^HTTP/1.1 4\\d\\d ");
  }

  @Test
  void aBodyWithATooLargeLengthIsRefusedBeforeItIsRead() throws Exception {
    String answer =
        fixture.raw(
            "POST /v1/things HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Authorization: Bearer "
                + fixture.token(Role.ADMIN)
                + "\r\nContent-Length: 1000000000\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 413").contains("BODY_TOO_LARGE");
  }

  @Test
  void aBodyThatTurnsOutTooLargeIsRefused() throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture.as(
                Role.ADMIN,
                "POST",
                "/v1/things",
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[LIMIT + 1]))));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(problem(answer).code()).isEqualTo(ErrorCode.BODY_TOO_LARGE.name());
  }

  @Test
  void aBodyOfExactlyTheLimitIsTaken() throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture.as(
                Role.ADMIN, "POST", "/v1/things", BodyPublishers.ofString("x".repeat(LIMIT))));

    assertThat(answer.body()).isEqualTo("size " + LIMIT);
  }

  @Test
  void jsonIsReadAndWritten() throws Exception {
    HttpResponse<String> answer = greet("{\"name\":\"Ann\",\"times\":2}");

    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body()).isEqualTo("{\"name\":\"Ann\",\"times\":2}");
  }

  @Test
  void brokenJsonIsAProblemWithLineAndColumn() throws Exception {
    HttpResponse<String> answer = greet("{\"name\":\"Ann\",\n \"times\":: 2}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(problem(answer).code()).isEqualTo(ErrorCode.MALFORMED_BODY.name());
    assertThat(problem(answer).detail()).contains("line 2", "column");
  }

  @Test
  void aMissingBodyIsAProblem() throws Exception {
    assertThat(problem(greet("")).code()).isEqualTo(ErrorCode.MALFORMED_BODY.name());
  }

  @ParameterizedTest
  @CsvSource({
    "'', 10 PT1S",
    "'?limit=5&wait=2s', 5 PT2S",
    "'?wait=PT2M', 10 PT30S",
  })
  void queryParametersHaveDefaultsAndLimits(String query, String expected) throws Exception {
    assertThat(fixture.send(fixture.get(Role.VIEWER, "/v1/waits" + query)).body())
        .isEqualTo(expected);
  }

  @Test
  void anUnknownQueryParameterIsRefusedWithTheNameThatWasProbablyMeant() throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, "/v1/waits?limt=5"));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(problem(answer).detail())
        .contains("'limt'", "did you mean 'limit'?", "known parameters: limit, wait");
  }

  @Test
  void aQueryParameterThatIsGivenTwiceIsRefused() throws Exception {
    assertThat(
            problem(fixture.send(fixture.get(Role.VIEWER, "/v1/waits?limit=5&limit=6"))).detail())
        .startsWith("limit is given 2 times");
  }

  @Test
  void aServerOfAnotherVersionMaySendParametersThatThisOneDoesNotKnow() throws Exception {
    assertThat(fixture.send(fixture.get(Role.MANAGER, "/v1/waits?later=5&limit=6")).body())
        .isEqualTo("6 PT1S");
  }

  @Test
  void aHandlerCannotReadAParameterThatItsRouteDoesNotDescribe() throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, "/v1/undeclared"));

    assertThat(answer.statusCode()).isEqualTo(500);
  }

  @Test
  void aDescriptionMustNameTheParametersOfThePath() {
    Route route = Route.get("/v1/things/{id}", VIEWERS, ctx -> {});

    assertThatThrownBy(() -> route.described(named("thing", "One thing")))
        .hasMessageContaining("[id]");
  }

  @Test
  void aWrongMethodIsRefusedWithTheRightOnes() throws Exception {
    HttpResponse<String> answer =
        fixture.send(fixture.as(Role.ADMIN, "PUT", "/v1/things/7", BodyPublishers.noBody()));

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).hasValue("DELETE, GET");
    assertThat(problem(answer).detail())
        .isEqualTo("PUT is not allowed at /v1/things/7; use DELETE or GET");
  }

  @Test
  void aWrongMethodIsNotRevealedToAStranger() throws Exception {
    HttpRequest.Builder request = fixture.request("PUT", "/v1/things/7", BodyPublishers.noBody());

    assertThat(fixture.send(request).statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "text/yaml; a=b"})
  void aBodyThatIsNotJsonIsRefusedWithWhatToSend(String type) throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture
                .as(Role.ADMIN, "POST", "/v1/greetings", BodyPublishers.ofString("{}"))
                .header("Content-Type", type));

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(problem(answer).detail()).endsWith("Content-Type: application/json");
  }

  @Test
  void aRefusalNamesNoClassOfTheServer() throws Exception {
    for (String body :
        List.of("[".repeat(200) + "]".repeat(200), "{\"name\":[1]}", "[]", "{\"name\":", "7")) {
      assertThat(problem(greet(body)).detail())
          .doesNotContainPattern("[A-Z][a-z]+[A-Z][a-z]")
          .doesNotContain("java", "Greeting", "record");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/things/%00", "/v1/things/%2e%2e", "/v1/things/%zz", "/v1/a%2Fb"})
  void aPathThatTheServerCannotReadIsRefusedAsAProblem(String path) throws Exception {
    String answer =
        fixture.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

    assertThat(answer)
        .startsWith("HTTP/1.1 4")
        .contains(Problem.MEDIA_TYPE)
        .doesNotContain("<html");
  }

  @ParameterizedTest
  @ValueSource(strings = {"limit=0", "limit=101", "limit=ten", "limit=9e9", "wait=soon"})
  void aBadQueryParameterIsNamed(String query) throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, "/v1/waits?" + query));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(problem(answer).detail()).startsWith(query.replaceAll("=.*", ""));
  }

  @Test
  void aRefusalCarriesItsCodeStatusAndMessage() throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, "/v1/refusal"));

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(problem(answer))
        .isEqualTo(Problem.of(ErrorCode.STALE_ATTEMPT, "attempt 17.1 is over"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/fault", "/v1/error"})
  void aFaultIsAnsweredWithAnIncidentAndWithoutItsMessage(String path) throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, path));

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("hunter2");
    assertThat(problem(answer).code()).isEqualTo(ErrorCode.INTERNAL.name());
    assertThat(problem(answer).detail()).containsPattern("incident [0-9a-f]{8}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/things/7", "/v1/none", "/v1/fault", "/livez", "/login", "/metrics"})
  void everyAnswerCarriesTheSecurityHeaders(String path) throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, path));

    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Referrer-Policy")).contains("no-referrer");
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.headers().firstValue("Server")).isEmpty();
    if (path.startsWith("/v1/")) {
      assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost", "127.0.0.1:80", "[::1]:7700", "millrace.lan", "MILLRACE.LAN:1"})
  void ourOwnNamesAreServed(String host) throws Exception {
    assertThat(fixture.raw("GET /livez HTTP/1.0\r\nHost: " + host + "\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:7700",
        "localhost.evil.example",
        "127.0.0.1.evil",
        "a b"
      })
  void aForeignNameThatWasReboundToUsIsRefused(String host) throws Exception {
    assertThat(fixture.raw("GET /livez HTTP/1.0\r\nHost: " + host + "\r\n\r\n"))
        .containsPattern("^HTTP/1.1 4\\d\\d ");
  }

  @Test
  void theSessionCookieServesForReading() throws Exception {
    assertThat(byCookie("GET", "/v1/things/7").statusCode()).isEqualTo(200);
  }

  @Test
  void changesByCookieMustComeFromOurOwnPages() throws Exception {
    String own = "http://127.0.0.1:" + fixture.server().address().getPort();

    assertThat(byCookie("DELETE", "/v1/things/7").statusCode()).isEqualTo(403);
    assertThat(byCookie("DELETE", "/v1/things/7", "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(403);
    assertThat(byCookie("DELETE", "/v1/things/7", "Sec-Fetch-Site", "same-site").statusCode())
        .isEqualTo(403);
    assertThat(byCookie("DELETE", "/v1/things/7", "Origin", "http://evil.example").statusCode())
        .isEqualTo(403);
    assertThat(byCookie("DELETE", "/v1/things/7", "Origin", "null").statusCode()).isEqualTo(403);
    assertThat(byCookie("DELETE", "/v1/things/7", "Sec-Fetch-Site", "same-origin").statusCode())
        .isEqualTo(204);
    assertThat(byCookie("DELETE", "/v1/things/7", "Origin", own).statusCode()).isEqualTo(204);
  }

  @Test
  void changesByBearerTokenNeedNoOrigin() throws Exception {
    HttpResponse<String> answer =
        fixture.send(fixture.as(Role.ADMIN, "DELETE", "/v1/things/7", BodyPublishers.noBody()));

    assertThat(answer.statusCode()).isEqualTo(204);
  }

  @Test
  void livenessChecksNothingAndReadinessEverything() throws Exception {
    assertThat(open("/livez").statusCode()).isEqualTo(200);
    assertThat(open("/readyz").statusCode()).isEqualTo(200);

    trouble.set(Optional.of("the disk is full"));

    assertThat(open("/livez").statusCode()).isEqualTo(200);
    assertThat(open("/readyz").statusCode()).isEqualTo(503);
    assertThat(open("/readyz").body()).contains("store: the disk is full");
  }

  @Test
  void metersAreInTheFormOfPrometheus() throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.VIEWER, "/metrics"));

    assertThat(answer.body()).contains("# TYPE jvm_memory_used_bytes gauge", "node=\"t1\"");
  }

  @Test
  void aPortThatIsInUseIsExplained() {
    int taken = fixture.server().address().getPort();

    assertThatThrownBy(
            () ->
                new ServerFixture(folder, WebSettings.loopback(taken), Health.always(), List.of()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + taken)
        .hasMessageContaining("choose another port");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "::"})
  void anAddressThatOthersCanReachIsRefusedUnlessAllowed(String host) {
    assertThatThrownBy(
            () ->
                new WebSettings(host, 0, false, List.of(), new DataSize(1), 9, 9, Optional.empty()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("allowRemote: true");

    assertThat(
            new WebSettings(host, 0, true, List.of(), new DataSize(1), 9, 9, Optional.empty())
                .host())
        .isEqualTo(host);
  }

  private HttpResponse<String> greet(String body) throws Exception {
    return fixture.send(
        fixture.as(Role.ADMIN, "POST", "/v1/greetings", BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> open(String path) throws Exception {
    return fixture.send(fixture.request("GET", path, BodyPublishers.noBody()));
  }

  private HttpResponse<String> byCookie(String method, String path, String... header)
      throws Exception {
    HttpRequest.Builder request =
        fixture
            .request(method, path, BodyPublishers.noBody())
            .header("Cookie", Requests.SESSION_COOKIE + "=" + ServerFixture.SESSION);
    if (header.length > 0) {
      request.header(header[0], header[1]);
    }
    return fixture.send(request);
  }
}
