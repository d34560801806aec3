package io.millrace.queuenode.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.agent.ClusterObserver.Situation;
import io.millrace.queuenode.agent.Reservations.ReservationClient;
import io.millrace.queuenode.agent.WeightClient.MoveOutcome;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingMemory;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodically decides about this node's weight and has the decision carried out: decide, reserve
 * capacity at the receivers, change the weight rows. A request whose outcome is unknown is repeated
 * under its id before anything else is decided. Uses its own thread; events never wait for it.
 */
public final class BalancingAgent implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(BalancingAgent.class);

  /** The random variation of a node's tick, so that nodes do not decide simultaneously. */
  private static final double JITTER = 0.15;

  private final String node;
  private final BalancingPolicy policy;
  private final ClusterObserver observer;
  private final CapacityReservation reservation;
  private final SlotGiver slots;
  private final WeightClient rows;
  private final AgentMeters meters;
  private final Clock clock;
  private final RandomGenerator random;
  private final Loop loop;
  private volatile String shortage;
  // Used only by the loop's thread.
  private BalancingMemory memory = BalancingMemory.EMPTY;
  private Asked unanswered;
  private String lastRefusal = "";

  private record Asked(MoveRequest request, BalancingDecision decision) {}

  /** An agent that has not started. */
  public BalancingAgent(
      String node,
      Duration tick,
      BalancingPolicy policy,
      ClusterObserver observer,
      ReservationClient receivers,
      SlotGiver slots,
      CentralClient central,
      AgentMeters meters,
      Clock clock,
      RandomGenerator random) {
    this.node = node;
    this.policy = policy;
    this.observer = observer;
    this.reservation = new CapacityReservation(node, receivers);
    this.slots = slots;
    this.rows = new WeightClient(central);
    this.meters = meters;
    this.clock = clock;
    this.random = random;
    double jitter = 1 + JITTER * (2 * random.nextDouble() - 1);
    Duration own = Duration.ofNanos((long) (tick.toNanos() * jitter));
    this.loop = new Loop(node + "-balancing", own, this::tick);
  }

  /** Why the node should shed load and cannot; empty otherwise. Never blocks. */
  public Optional<String> shortage() {
    return Optional.ofNullable(shortage);
  }

  /**
   * One tick with at most one decision, called by the loop and by tests. Blocks for the network.
   */
  void tick() {
    Optional<Situation> situation = observer.situation();
    if (unanswered != null) {
      ask(unanswered, situation.map(Situation::topology));
    } else if (situation.isPresent()) {
      decide(situation.get());
    } else {
      shortage = null;
    }
  }

  private void decide(Situation now) {
    BalancingDecision decision =
        policy.decide(node, now.draining(), now.snapshot(), memory, clock.nanoTime(), random);
    if (decision.moves().isEmpty()) {
      remember(decision.memory());
      recordShortage(now, decision);
      return;
    }
    MoveRequest request = request(now, decision);
    Optional<String> refusal = reservation.reserve(now, decision, request.id());
    if (refusal.isPresent()) {
      meters.refusedByReceiver();
      refused(decision, refusal.get());
    } else {
      sealAndAsk(request, decision);
    }
  }

  /** Slots of queues of sessions are sealed before their row changes, or never. */
  private void sealAndAsk(MoveRequest request, BalancingDecision decision) {
    List<WeightMove> sealed = slots.seal(request.moves());
    if (sealed.isEmpty()) {
      refused(decision, "its slots are still on their way from or to other nodes");
      return;
    }
    MoveRequest asked =
        new MoveRequest(
            request.id(),
            request.node(),
            request.kind(),
            request.policy(),
            sealed,
            request.reason(),
            request.inputs());
    ask(new Asked(asked, decision), Optional.empty());
  }

  private MoveRequest request(Situation now, BalancingDecision decision) {
    return new MoveRequest(
        UUID.randomUUID(),
        node,
        decision.kind(),
        policy.name(),
        decision.moves().stream().map(PlannedMove::move).toList(),
        decision.reason(),
        DecisionInputs.of(node, now.snapshot()));
  }

  private void ask(Asked asked, Optional<Topology> known) {
    MoveOutcome outcome = rows.change(asked.request());
    if (outcome instanceof MoveOutcome.Done) {
      unanswered = null;
      done(asked);
    } else if (outcome instanceof MoveOutcome.Refused refused) {
      unanswered = null;
      slots.refused(asked.request().moves());
      meters.refusedByCentral();
      refused(asked.decision(), refused.reason());
    } else if (outcome instanceof MoveOutcome.Unknown unknown) {
      unsettled(asked, known, unknown.reason());
    }
  }

  private void done(Asked asked) {
    slots.moved(asked.request().moves());
    remember(asked.decision().memory());
    lastRefusal = "";
    meters.moved(asked.request().kind(), asked.request().moves());
    LOGGER.info("{}: {}", describe(asked.request().moves()), asked.request().reason());
  }

  private void refused(BalancingDecision decision, String reason) {
    remember(decision.refused());
    // Logged once, although it may recur at every tick for a while.
    if (!reason.equals(lastRefusal)) {
      lastRefusal = reason;
      LOGGER.info("{} moved nothing ({}): {}", node, decision.kind(), reason);
    }
  }

  private void unsettled(Asked asked, Optional<Topology> known, String reason) {
    meters.unknown();
    if (known.filter(topology -> overtaken(asked.request(), topology)).isPresent()) {
      // Whether or not it was carried out, it cannot be any more; treating it as done moves less.
      unanswered = null;
      remember(asked.decision().memory());
      LOGGER.info("{} stops repeating move request {}", node, asked.request().id());
      return;
    }
    if (unanswered == null) {
      LOGGER.info(
          "{} does not know the outcome of move request {} and will repeat it: {}",
          node,
          asked.request().id(),
          reason);
    }
    unanswered = asked;
  }

  /**
   * Whether every row has a later version than the request names, so that it would be refused. With
   * sealed slots it must be known whether it was.
   */
  private static boolean overtaken(MoveRequest request, Topology topology) {
    if (request.moves().stream().anyMatch(move -> !move.slots().isEmpty())) {
      return false;
    }
    var versions =
        topology.weights().stream()
            .collect(Collectors.toMap(QueueWeights::queue, QueueWeights::version));
    return request.moves().stream()
        .allMatch(move -> versions.getOrDefault(move.queue(), 0L) > move.version());
  }

  private void remember(BalancingMemory next) {
    memory = next;
    shortage = next.shortage();
  }

  /** Only a record, which the policy repeats while the shortage continues, so it may be lost. */
  private void recordShortage(Situation now, BalancingDecision decision) {
    if (decision.kind() == BalancingKind.SHORTAGE) {
      LOGGER.info("{} finds no node to take its weight: {}", node, decision.reason());
      rows.change(request(now, decision));
    }
  }

  private static String describe(List<WeightMove> moves) {
    return moves.stream()
        .map(
            move ->
                "moved "
                    + move.points()
                    + " points of "
                    + move.queue()
                    + " from "
                    + move.from()
                    + " to "
                    + move.to())
        .collect(Collectors.joining(", "));
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Reserves capacity for all moves of a decision at each of its receivers. */
  private static final class CapacityReservation {
    /** Long enough for the load to appear in the receiver's figures. */
    private static final Duration KEPT_FOR = Duration.ofSeconds(10);

    private final String node;
    private final ReservationClient receivers;

    CapacityReservation(String node, ReservationClient receivers) {
      this.node = node;
      this.receivers = receivers;
    }

    /**
     * Asks one receiver after the other; returns the first refusal, or nothing if all reserve
     * capacity. Reservations made before a refusal expire after seconds. A drained node moves its
     * weight in any case: then refusals are ignored. Blocks.
     */
    Optional<String> reserve(Situation now, BalancingDecision decision, UUID request) {
      for (PlannedMove planned : decision.moves()) {
        WeightMove move = planned.move();
        Reservation asked =
            new Reservation(
                part(request, move), node, move.queue(), move.points(), planned.load(), KEPT_FOR);
        ReservationAnswer answer = receivers.reserve(now.node(move.to()), asked);
        if (!answer.granted() && decision.kind() != BalancingKind.DRAIN) {
          return Optional.of(answer.reason());
        }
      }
      return Optional.empty();
    }

    /** The same id for the same part of the same request, so that repeating it reserves once. */
    private static UUID part(UUID request, WeightMove move) {
      String name = request + "/" + move.queue() + "/" + move.to();
      return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * The inputs of a decision, as recorded: every node, and the queues of which the deciding node
   * holds points.
   *
   * @param nodes the fresh nodes
   * @param held queues of the deciding node
   */
  private record DecisionInputs(List<ObservedNode> nodes, List<Held> held) {
    /**
     * A queue.
     *
     * @param queue its name
     * @param points that the node holds
     * @param load of these points, in absolute units; null while not measured
     */
    record Held(String queue, int points, Double load) {}

    static JsonNode of(String node, BalancingSnapshot snapshot) {
      List<Held> held =
          snapshot.queues().stream()
              .filter(queue -> queue.points().containsKey(node))
              .map(queue -> held(node, queue))
              .toList();
      return Json.mapper().valueToTree(new DecisionInputs(snapshot.nodes(), held));
    }

    private static Held held(String node, ObservedQueue queue) {
      int points = queue.points().get(node);
      double load = points * queue.loadPerPoint();
      return new Held(queue.name(), points, Double.isNaN(load) ? null : load);
    }
  }
}
