package io.millrace.queuenode.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.LocalClusterView;
import io.millrace.queuenode.balancing.BalancingMemory;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BalancingAgentTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final LocalClusterView view = new LocalClusterView(clock);
  private final FakeWeightServer weights = new FakeWeightServer();
  private final ScriptedPolicy policy = new ScriptedPolicy();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<Reservation> reserved = new ArrayList<>();
  private final QueueNodeReport self =
      Reports.report("q1", NodeState.TOOBUSY, 0.81, 1, Reports.segment("q1", "alert", 600, 0.5));
  private ReservationAnswer reservation = new ReservationAnswer(true, null);
  private Topology topology = topology(4, NodeStatus.ACTIVE);
  private boolean centralAnswers = true;
  private final RecordedSlots slots = new RecordedSlots();
  private BalancingAgent agent;

  @BeforeEach
  void make() {
    publish(self);
    publish(Reports.report("q2", NodeState.NORMAL, 0.2, 1));
    agent =
        new BalancingAgent(
            "q1",
            Duration.ofSeconds(2),
            policy,
            new ClusterObserver(
                self.id(), () -> self, () -> Optional.ofNullable(topology), this::answers, view),
            this::reserve,
            slots,
            new CentralClient(
                new ApiClient(
                    weights, new Endpoints(List.of(URI.create("http://127.0.0.1:9"))), () -> "t")),
            new AgentMeters(registry),
            clock,
            new SplittableRandom(1));
  }

  private boolean answers() {
    return centralAnswers;
  }

  private ReservationAnswer reserve(QueueNodeAddress receiver, Reservation asked) {
    assertThat(receiver.name()).isEqualTo("q2");
    reserved.add(asked);
    return reservation;
  }

  private void publish(QueueNodeReport report) {
    view.publish(ClusterView.QUEUE_NODES, report.name(), Json.write(report));
  }

  private static Topology topology(long version, NodeStatus standing) {
    return Reports.topology(
        List.of(new QueueWeights("alert", version, Map.of("q1", 600, "q2", 400))),
        Reports.registered("q1", standing),
        Reports.registered("q2", NodeStatus.ACTIVE));
  }

  /** Seals slots if the test has a queue of sessions, and keeps what it was told. */
  private static final class RecordedSlots implements SlotGiver {
    private final List<String> told = new ArrayList<>();
    private List<Integer> available;

    @Override
    public List<WeightMove> seal(List<WeightMove> moves) {
      if (available == null) {
        return moves;
      }
      told.add("seal");
      return available.isEmpty()
          ? List.of()
          : moves.stream()
              .map(
                  move ->
                      new WeightMove(
                          move.queue(),
                          move.version(),
                          move.from(),
                          move.to(),
                          available.size(),
                          available))
              .toList();
    }

    @Override
    public void refused(List<WeightMove> moves) {
      told.add("refused " + moves.get(0).slots());
    }

    @Override
    public void moved(List<WeightMove> moves) {
      told.add("moved " + moves.get(0).slots());
    }
  }

  @Test
  void slotsAreSealedBeforeTheRowIsAskedFor() {
    slots.available = List.of(998, 999);
    agent.tick();
    assertThat(slots.told).containsExactly("seal", "moved [998, 999]");
    assertThat(weights.requests.get(0).moves())
        .containsExactly(new WeightMove("alert", 4, "q1", "q2", 2, List.of(998, 999)));
  }

  @Test
  void aMoveWithoutSlotsThatCanBeSealedIsNotAskedFor() {
    slots.available = List.of();
    agent.tick();
    assertThat(weights.requests).isEmpty();
    assertThat(memoryGivenNext()).isSameAs(policy.refused);
  }

  @Test
  void slotsStaySealedUntilTheOutcomeIsKnownEvenIfTheRowHasGoneOn() {
    slots.available = List.of(999);
    weights.silent = true;
    agent.tick();
    topology = topology(5, NodeStatus.ACTIVE);
    agent.tick();
    agent.tick();
    assertThat(slots.told).containsExactly("seal");
    weights.silent = false;
    weights.refusal = ErrorCode.STALE_VERSION;
    agent.tick();
    assertThat(slots.told).containsExactly("seal", "refused [999]");
    assertThat(weights.requests)
        .hasSize(4)
        .extracting(MoveRequest::id)
        .containsOnly(weights.requests.get(0).id());
  }

  @Test
  void aDecisionIsReservedAtItsReceiverAndThenCarriedOut() {
    agent.tick();
    assertThat(reserved)
        .singleElement()
        .satisfies(
            asked -> {
              assertThat(asked.from()).isEqualTo("q1");
              assertThat(asked.queue()).isEqualTo("alert");
              assertThat(asked.points()).isEqualTo(180);
              assertThat(asked.load()).isEqualTo(0.2);
              assertThat(asked.ttl()).isEqualTo(Duration.ofSeconds(10));
            });
    MoveRequest request = weights.requests.get(0);
    assertThat(request.node()).isEqualTo("q1");
    assertThat(request.kind()).isEqualTo(BalancingKind.SHED);
    assertThat(request.policy()).isEqualTo("scripted");
    assertThat(request.moves()).containsExactly(ScriptedPolicy.MOVE);
    assertThat(request.reason()).isEqualTo("q1 at 0.81 > 0.70");
    assertThat(request.inputs().at("/nodes").size()).isEqualTo(2);
    assertThat(request.inputs().at("/held/0/queue").asText()).isEqualTo("alert");
    assertThat(request.inputs().at("/held/0/points").asInt()).isEqualTo(600);
    assertThat(request.inputs().at("/held/0/load").asDouble()).isEqualTo(0.405);
    assertThat(meter("millrace.balancing.points", "kind", "shed")).isEqualTo(180);
    assertThat(meter("millrace.balancing.moves", "kind", "shed")).isEqualTo(1);
    assertThat(memoryGivenNext()).isSameAs(policy.carriedOut);
  }

  @Test
  void aReceiverWithoutCapacityGetsNothing() {
    reservation = new ReservationAnswer(false, "q2 is BUSY");
    agent.tick();
    assertThat(weights.requests).isEmpty();
    assertThat(meter("millrace.balancing.refused", "by", "receiver")).isEqualTo(1);
    assertThat(memoryGivenNext()).isSameAs(policy.refused);
  }

  @Test
  void aConcurrentlyChangedRowLeavesEverythingUnchanged() {
    weights.refusal = ErrorCode.STALE_VERSION;
    agent.tick();
    assertThat(meter("millrace.balancing.refused", "by", "central")).isEqualTo(1);
    assertThat(memoryGivenNext()).isSameAs(policy.refused);
    assertThat(weights.requests.get(0).id()).isNotEqualTo(weights.requests.get(1).id());
  }

  @Test
  void afterAnUnknownOutcomeTheSameRequestIsRetriedBeforeTheNextDecision() {
    weights.silent = true;
    agent.tick();
    agent.tick();
    agent.tick();
    assertThat(policy.given).hasSize(1);
    assertThat(weights.requests).hasSize(3);
    assertThat(weights.requests)
        .extracting(MoveRequest::id)
        .containsOnly(weights.requests.get(0).id());

    weights.silent = false;
    agent.tick();
    assertThat(policy.given).hasSize(1);
    assertThat(weights.requests.get(3).id()).isEqualTo(weights.requests.get(0).id());
    assertThat(meter("millrace.balancing.points", "kind", "shed")).isEqualTo(180);
    assertThat(memoryGivenNext()).isSameAs(policy.carriedOut);
  }

  @Test
  void aServerErrorIsAnUnknownOutcomeToo() {
    weights.refusal = ErrorCode.UNAVAILABLE;
    agent.tick();
    weights.refusal = ErrorCode.CONFLICT;
    agent.tick();
    assertThat(weights.requests.get(1).id()).isEqualTo(weights.requests.get(0).id());
    assertThat(memoryGivenNext()).isSameAs(policy.refused);
  }

  @Test
  void aRequestSupersededByLaterRowsIsNotRetried() {
    weights.silent = true;
    agent.tick();
    topology = topology(5, NodeStatus.ACTIVE);
    agent.tick();
    assertThat(weights.requests).hasSize(2);
    assertThat(memoryGivenNext()).isSameAs(policy.carriedOut);
  }

  @Test
  void nothingIsDecidedWithoutCentralManagersViewOrRegistration() {
    centralAnswers = false;
    agent.tick();
    centralAnswers = true;

    view.withdraw(ClusterView.QUEUE_NODES, "q1");
    agent.tick();
    publish(self);

    clock.advance(ClusterView.STALE_AFTER);
    agent.tick();
    publish(self);

    Topology known = topology;
    topology = null;
    agent.tick();
    topology = Reports.topology(known.weights(), known.nodes().get(1));
    agent.tick();
    topology = topology(4, NodeStatus.MAINTENANCE);
    agent.tick();
    assertThat(policy.given).isEmpty();

    topology = known;
    agent.tick();
    assertThat(policy.given).hasSize(1);
  }

  @Test
  void aDrainedNodesWeightMovesEvenIfTheReceiverWouldRefuse() {
    topology = topology(4, NodeStatus.DRAINING);
    policy.wanted = BalancingKind.DRAIN;
    reservation = new ReservationAnswer(false, "q2 is BUSY");
    agent.tick();
    assertThat(policy.draining).isTrue();
    assertThat(reserved).hasSize(1);
    assertThat(weights.requests).hasSize(1);
    assertThat(meter("millrace.balancing.points", "kind", "drain")).isEqualTo(180);
  }

  @Test
  void aShortageIsRecordedAndReportedWhileItContinues() {
    policy.wanted = BalancingKind.SHORTAGE;
    policy.carriedOut = ScriptedPolicy.memory("no node has capacity");
    agent.tick();
    assertThat(weights.requests.get(0).kind()).isEqualTo(BalancingKind.SHORTAGE);
    assertThat(weights.requests.get(0).moves()).isEmpty();
    assertThat(agent.shortage()).contains("no node has capacity");

    policy.wanted = null;
    agent.tick();
    assertThat(weights.requests).hasSize(1);
    assertThat(agent.shortage()).contains("no node has capacity");

    policy.carriedOut = ScriptedPolicy.memory(null);
    agent.tick();
    assertThat(agent.shortage()).isEmpty();
  }

  @Test
  void aNodeWithoutACompleteViewReportsNoShortage() {
    policy.wanted = BalancingKind.SHORTAGE;
    policy.carriedOut = ScriptedPolicy.memory("no node has capacity");
    agent.tick();
    centralAnswers = false;
    agent.tick();
    assertThat(agent.shortage()).isEmpty();
  }

  private BalancingMemory memoryGivenNext() {
    agent.tick();
    return policy.given.get(policy.given.size() - 1);
  }

  private double meter(String name, String key, String value) {
    return registry.get(name).tag(key, value).counter().count();
  }
}
