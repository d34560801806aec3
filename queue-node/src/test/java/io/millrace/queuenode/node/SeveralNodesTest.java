package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.membership.LocalClusterView;
import io.millrace.platform.membership.MembershipSettings;
import io.millrace.queuenode.agent.BalancingAgentSettings;
import io.millrace.queuenode.load.LoadSettings;
import io.millrace.queuenode.segment.SegmentHooks.HookSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Complete queue nodes that balance among themselves over real HTTP. */
class SeveralNodesTest {
  private static final HookSettings NO_HOOKS = HookSettings.defaults();

  @TempDir Path folder;

  private final SystemClock clock = new SystemClock();
  private final WeighingCentral central = new WeighingCentral(new JdkTransport());
  private final LocalClusterView view = new LocalClusterView(clock);
  private final List<QueueNode> nodes = new ArrayList<>();
  private TokenIssuer issuer;

  @BeforeEach
  void makeTokens() {
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    issuer = new TokenIssuer(KeyFiles.privateKey(tokens), clock);
    TokenFiles.ensure(tokens, issuer);
  }

  @AfterEach
  void stopNodes() {
    nodes.forEach(QueueNode::stop);
  }

  @Test
  void weightMovesFromAnOverloadedNodeUntilNoneIsOverloaded() {
    central.define("alert", Map.of("q1", 300, "q2", 300, "q3", 400));
    start("q1", Duration.ZERO, NO_HOOKS);
    start("q2", Duration.ZERO, NO_HOOKS);
    start("q3", Duration.ofMillis(20), NO_HOOKS);
    try (SteadyProducer producer =
        new SteadyProducer("alert", 100, () -> central.points("alert"), this::client)) {
      await().until(() -> state("q3") == NodeState.TOOBUSY);
      await().until(() -> points("q3") < 400);
      await()
          .until(
              () ->
                  List.of("q1", "q2", "q3").stream()
                      .noneMatch(node -> state(node) == NodeState.TOOBUSY));
      assertThat(producer.accepted()).isPositive();
    }
    MoveRequest first = central.carriedOut().get(0);
    assertThat(first.kind()).isEqualTo(BalancingKind.SHED);
    assertThat(first.node()).isEqualTo("q3");
    assertThat(first.inputs().at("/held/0/load").asDouble()).isPositive();
    assertThat(central.carriedOut())
        .flatExtracting(MoveRequest::moves)
        .extracting(WeightMove::to)
        .as("nothing goes back")
        .doesNotContain("q3");
    assertThat(central.points("alert").values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(1000);
    SegmentFigures measured = central.reports().get("q3").segments().get(0);
    assertThat(measured.load().puts()).isPositive();
    assertThat(measured.load().storeSeconds()).isPositive();
    assertThat(measured.load().share()).isEqualTo(1);
    assertThat(metrics("q3"))
        .contains("millrace_balancing_points_total{")
        .contains("kind=\"shed\"");
  }

  @Test
  void aDrainedNodeMovesAllWeightAwayServesItsEventsAndIsIdleWhenEmpty() {
    central.define("alert", Map.of("q1", 500, "q2", 500));
    start("q1", Duration.ZERO, NO_HOOKS);
    start("q2", Duration.ZERO, NO_HOOKS);
    await().until(() -> state("q1") == NodeState.NORMAL);
    client("q1").send("alert", "b", EventMedia.LINES, bytes("1\n2"));

    central.stand("q1", NodeStatus.DRAINING);
    await().until(() -> central.points("alert").equals(Map.of("q2", 1000)));
    assertThat(central.carriedOut())
        .extracting(MoveRequest::kind)
        .containsOnly(BalancingKind.DRAIN);
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () -> client("q1").send("alert", "c", EventMedia.JSON, bytes("3")))
                    .isInstanceOfSatisfying(
                        MillraceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NO_SEGMENT)));
    Lease lease = client("q1").lease("alert", new LeaseRequest(5, null, null, "w"));
    assertThat(lease.events()).hasSize(2);
    await()
        .until(
            () ->
                central.reports().get("q1").segments().stream().anyMatch(SegmentFigures::draining));
    assertThat(reserve("q1").reason()).isEqualTo("q1 is DRAINING");

    client("q1")
        .acknowledge(
            "alert",
            new Acknowledgement(lease.events().stream().map(DeliveredEvent::receipt).toList()));
    await().until(() -> state("q1") == NodeState.IDLE);
  }

  @Test
  void aNodeInMaintenanceKeepsItsWeightAndGetsNone() {
    central.define("alert", Map.of("q1", 500, "q2", 500));
    start("q1", Duration.ZERO, NO_HOOKS);
    start("q2", Duration.ZERO, NO_HOOKS);
    central.stand("q1", NodeStatus.MAINTENANCE);
    await().until(() -> !reserve("q1").granted());
    assertThat(reserve("q1").reason()).isEqualTo("q1 is MAINTENANCE");

    central.stand("q2", NodeStatus.DRAINING);
    await().until(() -> central.reports().get("q2").shortage() != null);
    assertThat(central.points("alert")).isEqualTo(Map.of("q1", 500, "q2", 500));
  }

  @Test
  void aFailingStartHookKeepsEventsOutUntilItSucceeds() throws IOException {
    Path ready = folder.resolve("ready");
    central.define("alert", Map.of("q1", 1000));
    start(
        "q1",
        Duration.ZERO,
        new HookSettings(List.of("/bin/ls", ready.toString()), List.of(), Duration.ofSeconds(10)));
    await()
        .untilAsserted(
            () ->
                assertThat(central.reports().get("q1").segments())
                    .singleElement()
                    .extracting(SegmentFigures::trouble)
                    .asString()
                    .contains("its start hook failed")
                    .contains(ready.toString()));
    assertThatThrownBy(() -> client("q1").send("alert", "b", EventMedia.JSON, bytes("1")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("its start hook failed");
    assertThat(client("q1").figures("alert").trouble()).contains("its start hook failed");

    Files.createFile(ready);
    await().until(() -> client("q1").figures("alert").trouble() == null);
    assertThat(client("q1").send("alert", "b", EventMedia.JSON, bytes("1")).accepted())
        .isEqualTo(1);
  }

  private void start(String name, Duration writeDelay, HookSettings hooks) {
    Path tokens = folder.resolve("tokens");
    QueueNodeSettings usual = QueueNodeSettings.defaults();
    BalancingAgentSettings balancing = BalancingAgentSettings.defaults();
    QueueNode node =
        new QueueNode(
            new QueueNodeSettings(
                name,
                folder.resolve(name),
                List.of(WeighingCentral.ADDRESS),
                tokens.resolve(KeyFiles.PUBLIC),
                Optional.empty(),
                WebSettings.loopback(0),
                Durability.PROCESS,
                1,
                usual.diskReserve(),
                // Several nodes share this process; a quick smoothing makes a short test.
                new LoadSettings(0.5, false, 0.50, 0.40, 0.70, 0.50),
                new BalancingAgentSettings(
                    balancing.policy(),
                    Duration.ofMillis(300),
                    balancing.minWeight(),
                    balancing.reverseBan(),
                    balancing.quiet(),
                    balancing.budgetShare(),
                    balancing.selectEvery()),
                hooks,
                usual.store(),
                writeDelay,
                Optional.empty(),
                MembershipSettings.defaults()),
            clock,
            central,
            view);
    node.start();
    nodes.add(node);
    await().until(() -> central.reports().containsKey(name));
  }

  private NodeState state(String node) {
    return central.reports().get(node).load().state();
  }

  private int points(String node) {
    return central.points("alert").getOrDefault(node, 0);
  }

  private ReservationAnswer reserve(String node) {
    NodeIdentity giver = new NodeIdentity(Role.QUEUE_NODE, "test", UUID.randomUUID());
    HttpTransport signed =
        new SignedCalls(central, CallSigner.of(issuer.credential(giver)), clock)
            .to(Role.QUEUE_NODE, node, Principal.of(giver));
    Endpoints address = new Endpoints(List.of(central.reports().get(node).address()));
    return new QueueClient(new ApiClient(signed, address, () -> null))
        .reserve(
            new Reservation(UUID.randomUUID(), "test", "alert", 1, 0.001, Duration.ofSeconds(1)));
  }

  private QueueClient client(String node) {
    return new QueueClient(api(node, Role.OPERATOR));
  }

  private String metrics(String node) {
    return api(node, Role.VIEWER).get("/metrics").text();
  }

  private ApiClient api(String node, Role role) {
    QueueNodeReport report = central.reports().get(node);
    String token = issuer.issue(Principal.of(role, "test"), Optional.empty());
    return new ApiClient(central, new Endpoints(List.of(report.address())), () -> token);
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(60));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
