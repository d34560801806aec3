package io.millrace.manager.app;

import io.millrace.manager.http.BalancingRoutes;
import io.millrace.manager.node.QueueNodeLoss;
import io.millrace.manager.node.QueueNodeRegister;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.manager.weight.BalancingHistory;
import io.millrace.manager.weight.WeightHealing;
import io.millrace.manager.weight.WeightMoves;
import io.millrace.manager.weight.WeightPlacement;
import io.millrace.manager.weight.WeightRows;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.database.Database;
import io.millrace.platform.http.Route;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;

/** The parts that keep the weight rows, put together: first points, moves, healing, history. */
final class WeightModule {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  private static final Duration WATCHING = Duration.ofSeconds(1);
  private static final int LOOKS_PER_LEASE = 8;

  private final WeightRows rows;
  private final WeightMoves moves;
  private final BalancingHistory history;
  private final ClaimedDuty placement;
  private final ClaimedDuty healing;

  /**
   * The parts.
   *
   * @param changed called after rows have changed; a hint
   */
  WeightModule(
      QueueModule.Shared shared,
      QueueSettings settings,
      QueueDefinitions queues,
      QueueNodeRegister register,
      Runnable changed) {
    Database database = shared.database();
    this.rows = new WeightRows(database);
    this.moves = new WeightMoves(database, queues, register, changed);
    this.history = new BalancingHistory(database, queues);
    WeightPlacement placing =
        new WeightPlacement(database, shared.name(), rows, queues, register, changed);
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
            database, shared.claims(), shared.name(), rows, queues, register, loss, changed);
    this.placement = duty(shared, "place-weights", WATCHING, claim -> placing.place());
    this.healing = duty(shared, "heal-weights", looking(settings.nodeLease()), healer);
  }

  WeightRows rows() {
    return rows;
  }

  List<Service> services() {
    return List.of(placement, healing);
  }

  List<Route> routes() {
    return new BalancingRoutes(moves, history).routes();
  }

  /** Says that a queue may want points; a hint. */
  void wake() {
    placement.wake();
  }

  /** Several looks in each lease: a longer gap between two would count as an outage. */
  private static Duration looking(Duration lease) {
    Duration often = lease.dividedBy(LOOKS_PER_LEASE);
    return often.compareTo(WATCHING) < 0 ? often : WATCHING;
  }

  private static ClaimedDuty duty(
      QueueModule.Shared shared, String resource, Duration interval, ClaimedDuty.Duty work) {
    return new ClaimedDuty(resource, shared.claimant(), CLAIM, interval, shared.claims(), work);
  }
}
