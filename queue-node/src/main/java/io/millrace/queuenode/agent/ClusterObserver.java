package io.millrace.queuenode.agent;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.platform.membership.ClusterView;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedNode;
import io.millrace.queuenode.balancing.BalancingSnapshot.ObservedQueue;
import java.util.HashMap;
import java.util.List;
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
   * Builds the snapshot for balancing from the nodes' reports (advisory) and the database's state
   * (weights, definitions, registered nodes and the status that operators ask for). Pure.
   */
  static final class SnapshotMaker {
    private SnapshotMaker() {}

    /**
     * The cluster as known.
     *
     * @param fresh reports by the node's name; those of unregistered nodes are ignored
     */
    static BalancingSnapshot of(Topology topology, Map<String, QueueNodeReport> fresh) {
      List<QueueNodeReport> counted =
          topology.nodes().stream()
              .filter(node -> isOf(fresh.get(node.name()), node))
              .map(node -> fresh.get(node.name()))
              .toList();
      List<ObservedNode> nodes =
          topology.nodes().stream()
              .filter(node -> isOf(fresh.get(node.name()), node))
              .map(node -> facts(fresh.get(node.name()), node.status()))
              .toList();
      return new BalancingSnapshot(nodes, queues(topology, counted));
    }

    /** Another process may use the name of a node, but not its id. */
    private static boolean isOf(QueueNodeReport report, QueueNodeAddress node) {
      return report != null && report.id().equals(node.id());
    }

    private static ObservedNode facts(QueueNodeReport report, NodeStatus status) {
      return new ObservedNode(
          report.name(),
          report.load().state(),
          report.load().load(),
          report.capacity(),
          status == NodeStatus.ACTIVE);
    }

    private static List<ObservedQueue> queues(Topology topology, List<QueueNodeReport> reports) {
      Map<String, Integer> minSegments = new HashMap<>();
      for (VersionedQueue queue : topology.queues()) {
        QueueDefinition definition = queue.definition();
        minSegments.put(definition.name(), definition.minSegments());
      }
      Map<String, Measured> measured = measured(reports);
      return topology.weights().stream()
          .map(row -> facts(row, minSegments.getOrDefault(row.queue(), 1), measured))
          .toList();
    }

    private static ObservedQueue facts(
        QueueWeights row, int minSegments, Map<String, Measured> measured) {
      Measured found = measured.get(row.queue());
      return new ObservedQueue(
          row.queue(),
          row.version(),
          row.points(),
          minSegments,
          found == null || found.weight() == 0 ? Double.NaN : found.load() / found.weight());
    }

    private record Measured(double load, int weight) {
      Measured plus(Measured more) {
        return new Measured(load + more.load, weight + more.weight);
      }
    }

    /**
     * Load and weight of each queue over the reporting nodes. The weight is the one in use when the
     * node measured, so that a row that has just changed does not distort the ratio.
     */
    private static Map<String, Measured> measured(List<QueueNodeReport> reports) {
      Map<String, Measured> measured = new HashMap<>();
      for (QueueNodeReport report : reports) {
        double whole = report.load().load() * report.capacity();
        for (SegmentFigures segment : report.segments()) {
          Measured here = new Measured(whole * segment.load().share(), segment.weight());
          measured.merge(segment.queue(), here, Measured::plus);
        }
      }
      return measured;
    }
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
                  fresh.put(name, Json.read(entry.json(), QueueNodeReport.class));
                } catch (MillraceException e) {
                  // An unreadable report is treated as none.
                  LOGGER.debug("the report of {} in the cluster view is not readable", name, e);
                }
              });
      return fresh;
    }
  }
}
