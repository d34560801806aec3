package io.millrace.queuenode.node;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.http.Route;
import io.millrace.platform.membership.ClusterView;
import io.millrace.queuenode.agent.AgentMeters;
import io.millrace.queuenode.agent.BalancingAgent;
import io.millrace.queuenode.agent.ClusterObserver;
import io.millrace.queuenode.agent.Reservations;
import io.millrace.queuenode.agent.Reservations.ReservationClient;
import io.millrace.queuenode.agent.SlotGiver;
import io.millrace.queuenode.balancing.BalancingPolicy.BalancingPolicies;
import io.millrace.queuenode.balancing.BalancingSettings;
import io.millrace.queuenode.http.ReservationRoutes;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The parts of a node that give and take weight.
 *
 * @param agent gives weight
 * @param routes by which other nodes reserve capacity
 */
record NodeBalancing(BalancingAgent agent, List<Route> routes) {
  /**
   * What the node knows of the cluster and of itself.
   *
   * @param id its own id
   * @param self the state that it reports now
   * @param topology the last topology received
   * @param centralAnswers whether a central manager accepted its last report
   * @param view the reports of all nodes
   */
  record Sight(
      UUID id,
      Supplier<QueueNodeReport> self,
      Supplier<Optional<Topology>> topology,
      BooleanSupplier centralAnswers,
      ClusterView view) {}

  static NodeBalancing of(
      QueueNodeSettings settings,
      Sight sight,
      ReservationClient receivers,
      SlotGiver slots,
      CentralClient central,
      MeterRegistry registry,
      Clock clock) {
    ClusterObserver observer =
        new ClusterObserver(
            sight.id(), sight.self(), sight.topology(), sight.centralAnswers(), sight.view());
    BalancingSettings rules = settings.balancing().rules(settings.load());
    BalancingAgent agent =
        new BalancingAgent(
            settings.name(),
            settings.balancing().tick(),
            BalancingPolicies.named(settings.balancing().policy(), rules),
            observer,
            receivers,
            slots,
            central,
            new AgentMeters(registry),
            clock,
            new SplittableRandom());
    Reservations reservations =
        new Reservations(sight.self(), observer::status, () -> rules.limits().ceiling(), clock);
    return new NodeBalancing(agent, new ReservationRoutes(reservations).routes());
  }
}
