package io.millrace.queuenode.agent;

import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeStatus;
import io.millrace.api.queue.Topology;
import io.millrace.platform.membership.ClusterView;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Sees the cluster from one node. Thread-safe; never blocks for long. */
public final class ClusterObserver {
  private final UUID id;
  private final Supplier<QueueNodeReport> self;
  private final Supplier<Optional<Topology>> topology;
  private final BooleanSupplier centralAnswers;
  private final NodeReports reports;

  /**
   * An observer.
   *
   * @param id this node's own id
   * @param self what this node says of itself now
   * @param topology the last one heard
   * @param centralAnswers whether a central manager took the last report
   */
  public ClusterObserver(
      UUID id,
      Supplier<QueueNodeReport> self,
      Supplier<Optional<Topology>> topology,
      BooleanSupplier centralAnswers,
      ClusterView view) {
    this.id = id;
    this.self = self;
    this.topology = topology;
    this.centralAnswers = centralAnswers;
    this.reports = new NodeReports(view);
  }

  /** What operators want of this node; empty while the database does not know it. */
  public Optional<QueueNodeStatus> standing() {
    return topology.get().flatMap(this::registered).map(QueueNodeAddress::standing);
  }

  /**
   * The situation to decide on; empty while there is nothing sound to decide on: no central manager
   * answers, the view does not even show this node itself, the database does not know it, or it is
   * in maintenance.
   */
  Optional<Situation> situation() {
    return topology.get().filter(known -> centralAnswers.getAsBoolean()).flatMap(this::situation);
  }

  private Optional<Situation> situation(Topology known) {
    QueueNodeReport own = self.get();
    Map<String, QueueNodeReport> fresh = new HashMap<>(reports.fresh());
    QueueNodeReport seen = fresh.put(own.name(), own);
    if (seen == null || !seen.id().equals(id)) {
      return Optional.empty();
    }
    return registered(known)
        .filter(place -> place.standing() != QueueNodeStatus.MAINTENANCE)
        .map(place -> new Situation(known, place, SnapshotMaker.of(known, fresh)));
  }

  private Optional<QueueNodeAddress> registered(Topology known) {
    return known.nodes().stream().filter(node -> node.id().equals(id)).findFirst();
  }
}
