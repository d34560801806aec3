package io.millrace.queuenode.agent;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.platform.membership.ClusterView;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node's view of the cluster. Thread-safe; never blocks for long. */
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
   * @param self supplies this node's current report
   * @param topology the last topology received
   * @param centralAnswers whether a central manager accepted the last report
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

  /** The status that operators ask of this node; empty while the database does not know it. */
  public Optional<NodeStatus> status() {
    return topology.get().flatMap(this::registered).map(QueueNodeAddress::status);
  }

  /**
   * The basis of a decision; empty while it is insufficient: no central manager answers, the view
   * does not show this node, the database does not know it, or it is in maintenance.
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
        .filter(place -> place.status() != NodeStatus.MAINTENANCE)
        .map(place -> new Situation(known, place, SnapshotMaker.of(known, fresh)));
  }

  private Optional<QueueNodeAddress> registered(Topology known) {
    return known.nodes().stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /**
   * What the agent decides on.
   *
   * @param topology the last topology
   * @param self this node as the database knows it
   * @param snapshot the cluster as seen in the view
   */
  record Situation(Topology topology, QueueNodeAddress self, BalancingSnapshot snapshot) {
    boolean draining() {
      return self.status() == NodeStatus.DRAINING;
    }

    /** A registered node; the snapshot names no others. */
    QueueNodeAddress node(String name) {
      return topology.nodes().stream()
          .filter(node -> node.name().equals(name))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException(name + " is in no topology"));
    }
  }

  /** The reports of all queue nodes in the cluster view, including this one's. Thread-safe. */
  static final class NodeReports {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeReports.class);

    private final ClusterView view;

    NodeReports(ClusterView view) {
      this.view = view;
    }

    /** The fresh reports, by the node's name; never blocks for long. */
    Map<String, QueueNodeReport> fresh() {
      Map<String, QueueNodeReport> fresh = new HashMap<>();
      view.entries(ClusterView.QUEUE_NODES)
          .forEach(
              (name, entry) -> {
                try {
                  QueueNodeReport report = Json.read(entry.json(), QueueNodeReport.class);
                  // A node speaks only for itself.
                  if (name.equals(report.name())) {
                    fresh.put(name, report);
                  }
                } catch (MillraceException e) {
                  // An unreadable report is treated as none.
                  LOGGER.debug("the report of {} in the cluster view is not readable", name, e);
                }
              });
      return fresh;
    }
  }
}
