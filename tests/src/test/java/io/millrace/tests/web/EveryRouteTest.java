package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter.Place;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks every route of every server: which roles are admitted, and that docs/api.md says the same.
 */
class EveryRouteTest {
  private static final String QUEUE = "sample";

  /**
   * Routes open without a token: health, the dashboard's pages, which contain no data, and logging
   * in.
   */
  private static final Map<String, Set<String>> OPEN =
      Map.of(
          "manager",
          Set.of(
              "GET /livez",
              "GET /readyz",
              "GET /v1/nonce",
              "GET /",
              "GET /login",
              "GET /assets/<path>",
              "GET /login/{code}",
              "POST /login/{code}",
              // Takes its own kind of single-use token.
              "POST /v1/join",
              "POST /v1/login",
              "POST /v1/logout"),
          "queue-node",
          Set.of("GET /livez", "GET /readyz", "GET /v1/nonce"),
          "load-balancer",
          Set.of("GET /livez", "GET /readyz", "GET /v1/nonce"),
          "executor-node",
          Set.of("GET /livez", "GET /readyz", "GET /v1/nonce"));

  private static final Set<String> AMONG_QUEUE_NODES =
      Set.of("/v1/reservations", "/v1/queues/{queue}/slots/{slot}/parts");

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final HttpClient http = HttpClient.newHttpClient();
  private final NodeSigner signer = new NodeSigner(CLUSTER.tokenFile(Role.ADMIN).getParent());

  static List<String> servers() {
    return List.of("manager", "queue-node", "load-balancer", "executor-node");
  }

  @ParameterizedTest
  @MethodSource("servers")
  void onlyTheExpectedRoutesAreOpen(String server) {
    assertThat(routes(server).filter(Route::open).names())
        .containsExactlyInAnyOrderElementsOf(OPEN.get(server));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyOtherRouteAnswers401WithoutAToken(String server) throws Exception {
    for (Route route : routes(server).filter(one -> !one.open()).list()) {
      for (String token : new String[] {null, "nobody.issued.this"}) {
        Answer answer = ask(server, route, token);
        assertThat(answer.status()).as("%s %s", server, name(route)).isEqualTo(401);
        assertThat(answer.code()).isEqualTo(ErrorCode.UNAUTHENTICATED.name());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void anUnlistedRoleGets403AndAListedRoleIsAdmitted(String server) throws Exception {
    for (Role role : Role.values()) {
      for (Route route : routes(server).filter(one -> !one.open()).list()) {
        Answer answer = send(server, route, authorization(server, route, role));
        String what = "%s %s as %s".formatted(server, name(route), role);
        if (!route.roles().contains(role)) {
          assertThat(answer.status()).as(what).isEqualTo(403);
          assertThat(answer.code()).as(what).isEqualTo(ErrorCode.FORBIDDEN.name());
        } else if (role.isNode()) {
          // Whether it speaks of itself is checked by NodeRoutesTest.
          assertThat(answer.status()).as(what).isNotEqualTo(401);
        } else {
          assertThat(answer.status()).as(what).isNotIn(401, 403);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void anAttemptOfAnotherQueueOrRunGets403OnEveryRoute(String server) throws Exception {
    AttemptId attempt = new AttemptId(1, 1);
    Map<Role, Principal> others =
        Map.of(
            Role.WORKER, Principal.worker("other", attempt),
            Role.TASK_WORKER, Principal.taskWorker(8, attempt));
    for (Role role : others.keySet()) {
      String token = CLUSTER.token(others.get(role));
      for (Route route : routes(server).filter(one -> one.roles().contains(role)).list()) {
        Answer answer = ask(server, route, token, "7", "");
        assertThat(answer.status()).as("%s as %s", name(route), role).isEqualTo(403);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void anExpiredTokenGets401OnEveryRoute(String server) throws Exception {
    String expired = CLUSTER.expiredToken(Principal.of(Role.ADMIN, "tester"));
    for (Route route : routes(server).filter(one -> !one.open()).list()) {
      assertThat(ask(server, route, expired).status()).as(name(route)).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aSignedCallIsAdmittedOnlyAtItsServerOnItsRouteAndWithANonceOfThatServer(String server)
      throws Exception {
    Principal caller = Principal.of(Role.ADMIN, "tester");
    URI here = address(server);
    String elsewhere = server.equals("manager") ? "queue-node" : "manager";
    for (Route route : routes(server).filter(one -> !one.open()).list()) {
      String path = path(route);
      String audience = NodeSigner.audience(server);
      int right =
          send(server, route, signer.authorization(caller, here, audience, route.method(), path))
              .status();
      assertThat(right).as(name(route)).isNotEqualTo(401);
      String other = NodeSigner.audience(elsewhere);
      for (String wrong :
          List.of(
              signer.authorization(caller, here, other, route.method(), path),
              signer.authorization(caller, here, audience, "PATCH", path),
              signer.authorization(caller, here, audience, route.method(), path + "/x"),
              signer.authorization(caller, address(elsewhere), audience, route.method(), path))) {
        assertThat(send(server, route, wrong).status()).as(name(route)).isEqualTo(401);
      }
    }
  }

  /** Whoever reads a call on the way must not ask for something else with it. */
  @Test
  void aSignedCallIsAdmittedOnlyWithItsQuery() throws Exception {
    Principal caller = Principal.of(Role.ADMIN, "tester");
    for (String[] call :
        new String[][] {
          {"/v1/jobs", "/v1/jobs"},
          {"/v1/jobs?limit=2", "/v1/jobs?limit=2"},
          {"/v1/jobs", "/v1/jobs?limit=2"},
          {"/v1/jobs?limit=2", "/v1/jobs?limit=3"},
          {"/v1/jobs?limit=2", "/v1/jobs"}
        }) {
      URI here = address("manager");
      String audience = NodeSigner.audience("manager");
      HttpRequest request =
          HttpRequest.newBuilder(here.resolve(call[1]))
              .header("Authorization", signer.authorization(caller, here, audience, "GET", call[0]))
              .build();
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      assertThat(status)
          .as("signed %s", List.of(call))
          .isEqualTo(call[0].equals(call[1]) ? 200 : 401);
    }
  }

  /** The credentials of a role: a token of people and workers, a signed call of servers. */
  private String authorization(String server, Route route, Role role) {
    if (role == Role.MANAGER) {
      return signer.authorization(
          principal(role),
          address(server),
          NodeSigner.audience(server),
          route.method(),
          path(route));
    }
    if (!role.isNode()) {
      return "Bearer " + CLUSTER.token(principal(role));
    }
    return signed(server, route, role, path(route));
  }

  private String signed(String server, Route route, Role role, String path) {
    NodeIdentity node = new NodeIdentity(role, "test-" + role.label(), new UUID(7, role.ordinal()));
    return signer.authorization(
        signer.credential(node),
        address(server),
        NodeSigner.audience(server),
        route.method(),
        path);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void noUserRouteIsOpenToWorkersAndNoNodeRouteToManagers(String server) {
    for (Route route : routes(server).filter(one -> !one.open()).list()) {
      if (route.roles().contains(Role.WORKER)) {
        assertThat(route.path()).startsWith("/v1/queues/{queue}/");
      }
      if (route.roles().contains(Role.TASK_WORKER)) {
        assertThat(route.path()).startsWith("/v1/task-runs/{id}/chunks/");
      }
      if (Role.nodes().containsAll(route.roles())) {
        // Besides the central managers' routes for nodes, queue nodes reserve capacity for one
        // another, and send one another what they hold of slots.
        assertThat(server.equals("manager") || AMONG_QUEUE_NODES.contains(route.path()))
            .as("%s serves %s to nodes alone", server, name(route))
            .isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/nothing", "/metrics/", "/v1/jobs/1/nothing", "/admin", "/assets"})
  void anUnknownPathRevealsNothingWithoutAToken(String path) throws Exception {
    for (String server : servers()) {
      HttpRequest request = HttpRequest.newBuilder(address(server).resolve(path)).build();
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      assertThat(status).as("%s %s", server, path).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aNullBodyOrNullElementIsRefusedWithoutAServerError(String server) throws Exception {
    String lists =
        Stream.of(
                "files",
                "receipts",
                "reports",
                "ids",
                "handles",
                "resources",
                "done",
                "pools",
                "live",
                "held",
                "segments",
                "moves",
                "decisions",
                "views",
                "after",
                "tags")
            .map(name -> '"' + name + "\":[null]")
            .collect(Collectors.joining(",", "{\"name\":\"a\",", "}"));
    CLUSTER.define("{kind: queue, name: " + QUEUE + ", minSegments: 1}");
    List<String> faults = new ArrayList<>();
    for (Route route : routes(server).filter(one -> !one.method().equals("GET")).list()) {
      Role role = route.roles().stream().sorted().findFirst().orElse(Role.OPERATOR);
      String token = role.isNode() ? null : CLUSTER.token(principal(role));
      for (String body : List.of("null", "[null]", "{}", "[]", "1", "\"x\"", lists)) {
        for (String id : List.of("9.9", "7", "00000000-0000-4000-8000-000000000001")) {
          String authorization =
              token == null ? signed(server, route, role, path(route, id)) : "Bearer " + token;
          Answer answer = send(server, route, authorization, id, body);
          if (answer.code().equals(ErrorCode.INTERNAL.name())) {
            faults.add("%s with %s for %s".formatted(name(route), body, id));
          }
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void headRevealsNoMoreThanGetWithoutAToken() throws Exception {
    for (String server : servers()) {
      for (Route route : routes(server).filter(one -> !one.open()).list()) {
        if (route.method().equals("GET")) {
          HttpRequest request =
              HttpRequest.newBuilder(address(server).resolve(path(route)))
                  .method("HEAD", HttpRequest.BodyPublishers.noBody())
                  .build();
          assertThat(http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
              .as("%s HEAD %s", server, route.path())
              .isIn(401, 404);
        }
      }
    }
  }

  @Test
  void theManualListsEveryRouteWithItsRoles() throws IOException {
    Map<String, Map<String, String>> served = new TreeMap<>();
    for (String server : servers()) {
      Map<String, String> rows = new TreeMap<>();
      routes(server).list().forEach(route -> rows.put(name(route), roles(route)));
      served.put(server, rows);
    }
    assertThat(ApiManual.read().routes()).isEqualTo(served);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyRouteIsDescribedUnderANameOfItsOwn(String server) {
    List<Route> routes = routes(server).list();
    assertThat(routes)
        .allSatisfy(
            route -> {
              assertThat(route.description().complete())
                  .as("%s is described", name(route))
                  .isTrue();
              assertThat(route.description().summary()).as(name(route)).isNotBlank();
              assertThat(route.description().id()).as(name(route)).matches("[a-z][a-zA-Z]+");
            });
    assertThat(routes).extracting(route -> route.description().id()).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aMisspeltQueryParameterIsRefusedOnEveryRouteWithTheNamesOfTheOthers(String server)
      throws Exception {
    for (Route route : routes(server).filter(one -> !one.open()).list()) {
      Set<Role> users = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.VIEWER);
      users.retainAll(route.roles());
      if (!users.isEmpty()) {
        String token = CLUSTER.token(Principal.of(users.iterator().next(), "tester"));
        HttpRequest request =
            HttpRequest.newBuilder(address(server).resolve(path(route) + "?stat=failed"))
                .header("Authorization", "Bearer " + token)
                .method(route.method(), HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(name(route)).isEqualTo(400);
        assertThat(answer.body()).contains("'stat'");
        route
            .description()
            .names(Place.QUERY)
            .forEach(it -> assertThat(answer.body()).contains(it));
      }
    }
  }

  private static String roles(Route route) {
    return route.open()
        ? "everybody"
        : route.roles().stream().sorted().map(Role::label).collect(Collectors.joining(", "));
  }

  private static Principal principal(Role role) {
    AttemptId attempt = new AttemptId(1, 1);
    return switch (role) {
      case WORKER -> Principal.worker(QUEUE, attempt);
      case TASK_WORKER -> Principal.taskWorker(1, attempt);
      default -> Principal.of(role, "tester");
    };
  }

  private record Routes(List<Route> list) {
    Routes filter(Predicate<Route> wanted) {
      return new Routes(list.stream().filter(wanted).toList());
    }

    Set<String> names() {
      return list.stream().map(EveryRouteTest::name).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Routes routes(String server) {
    WebServer web = CLUSTER.servers().get(server);
    return new Routes(web.routes());
  }

  private static String name(Route route) {
    return route.method() + " " + route.path();
  }

  private static URI address(String server) {
    return CLUSTER.servers().get(server).address();
  }

  private static String path(Route route) {
    return path(route, "9.9");
  }

  private static String path(Route route, String id) {
    return route
        .path()
        .replace("<path>", "app.js")
        .replace("{queue}", QUEUE)
        .replace("{stream}", "stdout")
        .replaceAll("\\{[a-z]+}", id);
  }

  private record Answer(int status, String code) {}

  /** Reads only the start of the answer, because some streams never end. */
  private Answer ask(String server, Route route, String token) throws Exception {
    return ask(server, route, token, "9.9", "");
  }

  private Answer send(String server, Route route, String authorization) throws Exception {
    return send(server, route, authorization, "9.9", "");
  }

  private Answer ask(String server, Route route, String token, String id, String content)
      throws Exception {
    return send(server, route, token == null ? null : "Bearer " + token, id, content);
  }

  private Answer send(String server, Route route, String authorization, String id, String content)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(server).resolve(path(route, id)))
            .timeout(Duration.ofSeconds(20))
            .method(route.method(), HttpRequest.BodyPublishers.ofString(content));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    HttpResponse<InputStream> answer =
        http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      String type = answer.headers().firstValue("Content-Type").orElse("");
      String code =
          type.startsWith(Problem.MEDIA_TYPE)
              ? Json.read(body.readAllBytes(), Problem.class).code()
              : "";
      return new Answer(answer.statusCode(), code);
    }
  }
}
