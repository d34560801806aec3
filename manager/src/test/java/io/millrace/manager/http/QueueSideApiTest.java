package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.app.ManagerClients;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queue side as its callers meet it: a whole central manager over HTTP. */
class QueueSideApiTest {
  private static final String ALERT = "{kind: queue, name: alert, worker: {command: ['true']}}";
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path folder;
  private final JdkTransport transport = new JdkTransport();
  private CentralManager manager;
  private ManagerClients nodes;

  @BeforeEach
  void start() {
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder, WebSettings.loopback(0)), new SystemClock());
    manager.start();
    nodes = new ManagerClients(manager, transport);
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  @Test
  void anAppliedQueueReachesItsNodesWithPointsAndGetsItsManagers() {
    CentralClient node = node("q1");
    Topology empty = node.topology(null, Duration.ZERO).orElseThrow();
    node.report(report("q1"), JobBench.number());
    node("q2").report(report("q2"), JobBench.number());
    apply(ALERT);

    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(node.topology(empty.version(), LONG).orElseThrow().weights())
                    .singleElement()
                    .satisfies(
                        row -> assertThat(row.points()).isEqualTo(Map.of("q1", 500, "q2", 500))));
    CentralClient viewer = central(Role.VIEWER);
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(viewer.queue("alert").managers()).hasSize(2));
  }

  @Test
  void onlyNodesGetATopologyThatIsReadAfterTheRequest() {
    assertThat(node("q1").freshTopology(null)).isPresent();
    for (Role role : List.of(Role.VIEWER, Role.ADMIN)) {
      CentralClient other = central(role);
      assertThat(other.topology(null, Duration.ZERO)).isPresent();
      assertThatThrownBy(() -> other.freshTopology(null))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.FORBIDDEN))
          .hasMessageContaining(
              "only nodes may ask for a fresh topology, not the role " + role.label());
    }
  }

  @Test
  void anUnchangedTopologyIsAnsweredEmptyAfterTheWait() {
    CentralClient node = node("q1");
    Topology known = node.topology(null, Duration.ZERO).orElseThrow();

    assertThat(node.topology(known.version(), Duration.ofMillis(50))).isEmpty();
  }

  @Test
  void theOverviewShowsQueuesNodesAndBalancers() {
    apply(ALERT);
    node("q1").report(report("q1"), JobBench.number());
    UUID b1 = UUID.randomUUID();
    nodes
        .of(Role.LOAD_BALANCER, "b1", b1)
        .report(new BalancerReport(b1, "b1", URI.create("http://b:1"), 7, 1), JobBench.number());

    CentralClient viewer = central(Role.VIEWER);
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              Overview overview = viewer.overview();
              assertThat(overview.queues()).extracting("name").containsExactly("alert");
              assertThat(overview.queueNodes()).extracting("name").containsExactly("q1");
              assertThat(overview.balancers()).extracting("accepted").containsExactly(7L);
            });
  }

  @Test
  void pagesReceiveTheOverviewUnchanged() throws Exception {
    apply(ALERT);
    HttpCall call =
        HttpCall.get(manager.address().resolve("/v1/stream"))
            .with("Accept", "text/event-stream")
            .with("Authorization", "Bearer " + token(Role.VIEWER));
    try (InputStream stream = transport.stream(call);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("event: overview");
      String overview = lines.readLine();
      // The first may have been assembled just before the queue was defined.
      for (int later = 0; later < 20 && !overview.contains("\"alert\""); later++) {
        assertThat(lines.readLine()).isEmpty();
        assertThat(lines.readLine()).isEqualTo("event: overview");
        overview = lines.readLine();
      }
      assertThat(overview).startsWith("data: {").contains("\"alert\"");
    }
  }

  @Test
  void allProblemsOfADefinitionAreReportedTogether() {
    assertThatThrownBy(() -> apply("{kind: queue, name: alert, batch: no, leas: 3s}"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageContaining("expected a whole number, found \"no\"")
        .hasMessageContaining("did you mean 'lease'?");
  }

  @Test
  void anUnknownQueueIsAProblemWithTheFix() {
    assertThatThrownBy(() -> central(Role.VIEWER).queue("alarm"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_QUEUE))
        .hasMessageContaining("millrace queue list");
  }

  @Test
  void historyAndDecisionsAreListedAndTheirLimitsChecked() {
    apply(ALERT);
    ApiClient viewer = api(Role.VIEWER);

    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(viewer.get("/v1/queues/alert/history?minutes=5").as(JsonNode.class))
                    .isNotEmpty());
    assertThat(viewer.get("/v1/queues/alert/decisions?limit=5").as(JsonNode.class)).isEmpty();
    assertThatThrownBy(() -> viewer.get("/v1/queues/alert/decisions?limit=0"))
        .hasMessageContaining("limit must be a whole number from 1 to 1000");
  }

  @Test
  void aNodeMovesWeightAndTheMoveIsVisibleWithItsReason() {
    CentralClient node = node("q1");
    node.report(report("q1"), JobBench.number());
    node("q2").report(report("q2"), JobBench.number());
    node("q3").report(report("q3"), JobBench.number());
    apply(ALERT);
    ApiClient viewer = api(Role.VIEWER);
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(central(Role.VIEWER).weights("alert", 5).weights()).isNotNull());
    QueueWeights before = central(Role.VIEWER).weights("alert", 5).weights();
    Topology known = node.topology(null, Duration.ZERO).orElseThrow();
    MoveRequest request =
        new MoveRequest(
            UUID.randomUUID(),
            "q1",
            BalancingKind.SHED,
            "measured",
            List.of(new WeightMove("alert", before.version(), "q1", "q3", 180)),
            "q1 at 0.81 > 0.70 for 2 ticks",
            null);

    assertThat(node.move(request).rows().get(0).points())
        .isEqualTo(Map.of("q1", 320, "q2", 500, "q3", 180));
    assertThat(node.move(request).repeated()).isTrue();
    assertThat(node.topology(known.version(), LONG).orElseThrow().weights().get(0).of("q3"))
        .isEqualTo(180);
    assertThat(central(Role.VIEWER).weights("alert", 5).history())
        .extracting(WeightChange::reason)
        .contains("q1 at 0.81 > 0.70 for 2 ticks");
    JsonNode decisions = viewer.get("/v1/balancing/decisions?node=q3&limit=1").as(JsonNode.class);
    assertThat(decisions.get(0).get("id").asText()).isEqualTo(request.id().toString());
    assertThatThrownBy(() -> central(Role.ADMIN).move(request))
        .hasMessageContaining("the role admin is not permitted to do this");
  }

  @Test
  void operatorsDrainNodesAndPauseQueuesAndNodesLearnOfItImmediately() {
    CentralClient node = node("q1");
    node.report(report("q1"), JobBench.number());
    apply(ALERT);
    ApiClient operator = api(Role.OPERATOR);

    QueueNodeView drained =
        operator
            .post("/v1/queue-nodes/q1/drain", new NodeCommand(null, "old"))
            .as(QueueNodeView.class);
    assertThat(drained.status()).isEqualTo(NodeStatus.DRAINING);
    operator.post("/v1/queues/alert/pause", new PauseRequest(true, true, "deploy"));
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              Topology now = node.topology(null, Duration.ZERO).orElseThrow();
              assertThat(now.nodes().get(0).status()).isEqualTo(NodeStatus.DRAINING);
              assertThat(now.controls().get(0).sendingPaused()).isTrue();
            });
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(central(Role.VIEWER).overview().alerts())
                    .extracting("code")
                    .contains("QUEUE_PAUSED"));
    operator.post("/v1/queue-nodes/q1/undrain", null);
    assertThat(operator.get("/v1/queue-nodes/q1").as(QueueNodeView.class).status())
        .isEqualTo(NodeStatus.ACTIVE);
    assertThatThrownBy(() -> operator.delete("/v1/queue-nodes/q1"))
        .hasMessageContaining("q1 is not lost");
    assertThatThrownBy(() -> api(Role.VIEWER).post("/v1/queue-nodes/q1/drain", null))
        .hasMessageContaining("the role viewer is not permitted to do this");
  }

  @Test
  void nodesThatDoNotAnswerAreNamedInAHeader() {
    apply(ALERT);
    node("q1").report(report("q1"), JobBench.number());

    HttpAnswer dead = api(Role.VIEWER).get("/v1/queues/alert/dead");
    assertThat(dead.as(JsonNode.class)).isEmpty();
    assertThat(dead.headers()).containsEntry("millrace-unreached", "q1");
  }

  @Test
  void viewersCannotChangeAnythingAndNodesCannotActAsUsers() {
    for (CentralClient client : List.of(central(Role.VIEWER), node("q1"))) {
      assertThatThrownBy(
              () -> client.apply(new ApplyRequest(List.of(new SourceFile("f", ALERT)), false)))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    }
    assertThatThrownBy(() -> central(Role.ADMIN).report(report("q1"), JobBench.number()))
        .hasMessageContaining("the role admin is not permitted to do this");
  }

  @Test
  void aLoginCodeOpensASessionOnceWithACookieThatScriptsCannotRead() throws Exception {
    JsonNode code = api(Role.VIEWER).post("/v1/login-codes", null).as(JsonNode.class);
    URI url = URI.create(code.get("url").asText());
    assertThat(url).hasPort(manager.address().getPort());

    for (String method : List.of("GET", "HEAD")) {
      HttpCall page = new HttpCall(method, url, Map.of(), new byte[0], Duration.ofSeconds(30));
      assertThat(transport.send(page).status()).isEqualTo(200);
      assertThat(transport.send(page).headers())
          .doesNotContainKey("set-cookie")
          .containsEntry("referrer-policy", "same-origin");
    }
    HttpAnswer first = transport.send(HttpCall.post(url, null));
    String cookie = first.headers().get("set-cookie");
    assertThat(first.status()).isEqualTo(303);
    assertThat(first.headers().get("location")).isEqualTo("/");
    assertThat(cookie).startsWith("millrace_session=").contains("HttpOnly", "SameSite=Strict");

    HttpCall overview =
        HttpCall.get(manager.address().resolve("/v1/overview"))
            .with("Cookie", cookie.substring(0, cookie.indexOf(';')));
    assertThat(transport.send(overview).status()).isEqualTo(200);

    HttpAnswer second = transport.send(HttpCall.post(url, null));
    assertThat(second.headers())
        .containsEntry("location", "/login?link=invalid")
        .doesNotContainKey("set-cookie");
  }

  @Test
  void aMisspelledKeyOfAJoinTokenIsRefusedWithItsName() {
    ApiClient admin = api(Role.ADMIN);
    assertThatThrownBy(
            () ->
                admin.post(
                    "/v1/join-tokens", Map.of("role", "queue-node", "nmae", "q7", "replace", true)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("nmae: unknown key");
    assertThat(admin.post("/v1/join-tokens", Map.of("role", "queue-node")).status()).isEqualTo(201);
  }

  /** Its session would outlive the log-out of the first one. */
  @Test
  void aSessionCreatesNoLoginCode() throws Exception {
    HttpAnswer login =
        transport.send(
            HttpCall.post(
                manager.address().resolve("/v1/login"), Map.of("token", token(Role.VIEWER))));
    String cookie = login.headers().get("set-cookie");
    HttpCall code =
        HttpCall.post(manager.address().resolve("/v1/login-codes"), null)
            .with("Cookie", cookie.substring(0, cookie.indexOf(';')))
            .with("Sec-Fetch-Site", "same-origin");

    assertThat(transport.send(code).status()).isEqualTo(403);
  }

  @Test
  void onlyATokenOpensASession() throws Exception {
    URI login = manager.address().resolve("/v1/login");

    HttpAnswer good =
        transport.send(HttpCall.post(login, Map.of("token", token(Role.OPERATOR) + "\n")));
    assertThat(good.status()).isEqualTo(200);
    assertThat(good.headers().get("set-cookie")).contains("HttpOnly", "SameSite=Strict");
    for (String token : List.of("nonsense", token(Role.PRODUCER))) {
      HttpAnswer bad = transport.send(HttpCall.post(login, Map.of("token", token)));
      assertThat(bad.status()).isEqualTo(401);
      assertThat(bad.headers()).doesNotContainKey("set-cookie");
    }
    String cookie = good.headers().get("set-cookie");
    String session = cookie.substring(0, cookie.indexOf(';'));
    assertThat(session).doesNotContain(token(Role.OPERATOR));
    HttpCall overview =
        HttpCall.get(manager.address().resolve("/v1/overview")).with("Cookie", session);
    assertThat(transport.send(overview).status()).isEqualTo(200);
    HttpCall logout = HttpCall.post(manager.address().resolve("/v1/logout"), null);
    HttpAnswer out = transport.send(logout.with("Cookie", session));
    assertThat(out.headers().get("set-cookie")).startsWith("millrace_session=;");
    assertThat(transport.send(overview).status()).as("the session has ended").isEqualTo(401);
  }

  @Test
  void aPageOfAnotherSiteCanNeitherLogInNorOut() throws Exception {
    HttpCall login =
        HttpCall.post(
            manager.address().resolve("/v1/login"), Map.of("token", token(Role.OPERATOR)));
    HttpCall logout = HttpCall.post(manager.address().resolve("/v1/logout"), null);
    JsonNode code = api(Role.VIEWER).post("/v1/login-codes", null).as(JsonNode.class);
    HttpCall link = HttpCall.post(URI.create(code.get("url").asText()), null);
    for (HttpCall call : List.of(login, logout, link)) {
      for (HttpCall foreign :
          List.of(
              call.with("Sec-Fetch-Site", "cross-site"),
              call.with("Sec-Fetch-Site", "same-site"),
              call.with("Origin", "http://evil.example"))) {
        HttpAnswer answer = transport.send(foreign);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.headers()).doesNotContainKey("set-cookie");
      }
    }
    assertThat(transport.send(link.with("Sec-Fetch-Site", "none")).headers())
        .containsEntry("location", "/");
  }

  @Test
  void theCookieIsSecureBehindAProxyWithTls() throws Exception {
    HttpCall login =
        HttpCall.post(
            manager.address().resolve("/v1/login"), Map.of("token", token(Role.OPERATOR)));
    assertThat(transport.send(login).headers().get("set-cookie")).doesNotContain("Secure");
    assertThat(transport.send(login.with("X-Forwarded-Proto", "https")).headers().get("set-cookie"))
        .contains("Secure");
  }

  private void apply(String yaml) {
    central(Role.OPERATOR)
        .apply(new ApplyRequest(List.of(new SourceFile("test.yaml", yaml)), false));
  }

  private CentralClient node(String name) {
    return nodes.of(Role.QUEUE_NODE, name);
  }

  private CentralClient central(Role role) {
    return new CentralClient(api(role));
  }

  private ApiClient api(Role role) {
    return new ApiClient(transport, new Endpoints(List.of(manager.address())), () -> token(role));
  }

  private String token(Role role) {
    return TokenFiles.read(TokenFiles.of(manager.tokens(), role));
  }

  private static QueueNodeReport report(String node) {
    return new QueueNodeReport(
        UUID.nameUUIDFromBytes(node.getBytes(StandardCharsets.UTF_8)),
        node,
        URI.create("http://127.0.0.1:1"),
        new NodeLoad(NodeState.NORMAL, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        List.of(QueueWorld.segment("alert", node, 0, 0)),
        null);
  }
}
