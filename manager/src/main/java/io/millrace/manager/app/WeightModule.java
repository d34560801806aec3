package io.millrace.manager.app;

import io.millrace.manager.http.WeightRoutes;
import io.millrace.manager.node.QueueNodeLoss;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.manager.weight.TopologyService;
import io.millrace.manager.weight.WeightHealing;
import io.millrace.manager.weight.WeightPlacement;
import io.millrace.manager.weight.WeightPlacement.SlotMoveRequests;
import io.millrace.manager.weight.WeightRows;
import io.millrace.manager.weight.WeightService;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.database.Database;
import io.millrace.platform.http.Route;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;

/** Composes what maintains the weight rows: initial placement, moves, healing, history. */
final class WeightModule {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  private static final Duration CHECKING = Duration.ofSeconds(1);
  private static final int OBSERVATIONS_PER_LEASE = 8;

  private final WeightRows rows;
  private final WeightService service;
  private final ClaimedDuty placement;
  private final ClaimedDuty healing;

  /**
   * Composes the parts.
   *
   * @param moves asks nodes to give slots away
   * @param changed called after rows have changed
   */
  WeightModule(
      QueueModule.Shared shared,
      QueueSettings settings,
      QueueDefinitions queues,
      QueueNodeRegistry queueNodes,
      SlotMoveRequests moves,
      Runnable changed) {
    Database database = shared.database();
    this.rows = new WeightRows(database);
    this.service = new WeightService(database, queues, queueNodes, changed);
    WeightPlacement placer =
        new WeightPlacement(database, shared.name(), rows, queues, queueNodes, moves, changed);
    QueueNodeLoss loss =
        new QueueNodeLoss(
            database,
            shared.claims(),
            shared.clock(),
            shared.proof(),
            settings.nodeLease(),
            settings.lossGrace());
    WeightHealing healer =
        new WeightHealing(
            database, shared.claims(), shared.name(), rows, queues, queueNodes, loss, changed);
    this.placement = duty(shared, "place-weights", CHECKING, claim -> placer.place());
    this.healing = duty(shared, "heal-weights", observationInterval(settings.nodeLease()), healer);
  }

  WeightRows rows() {
    return rows;
  }

  List<Service> services() {
    return List.of(placement, healing);
  }

  List<Route> routes(TopologyService topology) {
    return new WeightRoutes(service, topology).routes();
  }

  /** Signals that a queue may need points. */
  void wake() {
    placement.wake();
  }

  /** Several observations in each lease: a longer gap would count as an outage. */
  private static Duration observationInterval(Duration lease) {
    Duration often = lease.dividedBy(OBSERVATIONS_PER_LEASE);
    return often.compareTo(CHECKING) < 0 ? often : CHECKING;
  }

  private static ClaimedDuty duty(
      QueueModule.Shared shared, String resource, Duration interval, ClaimedDuty.Duty work) {
    return new ClaimedDuty(resource, shared.claimant(), CLAIM, interval, shared.claims(), work);
  }
}
