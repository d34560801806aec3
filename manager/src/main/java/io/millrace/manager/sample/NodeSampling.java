package io.millrace.manager.sample;

import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Takes samples of the nodes that report. A run takes at most {@value #MAX_NODES} of each kind, and
 * the next continues after them: in a larger cluster each node is sampled less often, and the table
 * does not grow any faster.
 *
 * <p>Used by one thread, that of its duty; blocks on the database.
 */
public final class NodeSampling {
  /** The most nodes of each kind in a run. */
  static final int MAX_NODES = 500;

  private final Database database;
  private final Supplier<List<QueueNodeView>> queueNodes;
  private final Supplier<List<ExecutionNodeView>> executionNodes;
  private final Map<SampledKind, String> sampledLast = new HashMap<>();

  public NodeSampling(
      Database database,
      Supplier<List<QueueNodeView>> queueNodes,
      Supplier<List<ExecutionNodeView>> executionNodes) {
    this.database = database;
    this.queueNodes = queueNodes;
    this.executionNodes = executionNodes;
  }

  /** Adds a sample of each node, or of the next ones. */
  public void sample() {
    SortedMap<String, Map<String, SampledFigure>> stores = new TreeMap<>();
    for (QueueNodeView node : queueNodes.get()) {
      if (node.live()) {
        stores.put(node.name(), figures(node));
      }
    }
    SortedMap<String, Map<String, SampledFigure>> hosts = new TreeMap<>();
    for (ExecutionNodeView node : executionNodes.get()) {
      if (!node.lost()) {
        hosts.put(node.name(), figures(node));
      }
    }
    Map<String, Map<String, SampledFigure>> nextStores = next(SampledKind.QUEUE_NODE, stores);
    Map<String, Map<String, SampledFigure>> nextHosts = next(SampledKind.EXECUTION_NODE, hosts);
    Instant now = database.now();
    database.transaction(
        handle -> {
          NodeSampleDao.add(handle, SampledKind.QUEUE_NODE, now, nextStores);
          NodeSampleDao.add(handle, SampledKind.EXECUTION_NODE, now, nextHosts);
          return null;
        });
  }

  private <T> Map<String, T> next(SampledKind kind, SortedMap<String, T> nodes) {
    if (nodes.size() <= MAX_NODES) {
      return nodes;
    }
    String last = sampledLast.getOrDefault(kind, "");
    List<String> names = new ArrayList<>(nodes.tailMap(last + "\0").keySet());
    names.addAll(nodes.headMap(last + "\0").keySet());
    Map<String, T> taken = new TreeMap<>();
    names.subList(0, MAX_NODES).forEach(name -> taken.put(name, nodes.get(name)));
    sampledLast.put(kind, names.get(MAX_NODES - 1));
    return taken;
  }

  private static Map<String, SampledFigure> figures(QueueNodeView node) {
    Map<String, SampledFigure> figures = new HashMap<>();
    put(figures, FigureHistory.LOAD, node.load().load());
    put(figures, FigureHistory.STORE, node.load().store());
    put(figures, FigureHistory.CPU, node.load().cpu());
    put(figures, FigureHistory.DISK, node.load().disk());
    put(
        figures,
        FigureHistory.POINTS,
        (double) node.segments().stream().mapToInt(SegmentFigures::weight).sum());
    put(figures, FigureHistory.UNFINISHED, (double) node.unfinished());
    return figures;
  }

  private static Map<String, SampledFigure> figures(ExecutionNodeView node) {
    Map<String, SampledFigure> figures = new HashMap<>();
    put(figures, FigureHistory.SLOTS, (double) node.capacity().slots());
    put(figures, FigureHistory.USED_SLOTS, (double) node.usedSlots());
    put(figures, FigureHistory.USED_CPUS, node.usedCpus());
    put(figures, FigureHistory.USED_MEMORY, (double) node.usedMemoryBytes());
    return figures;
  }

  private static void put(Map<String, SampledFigure> figures, String name, Double value) {
    if (value != null && Double.isFinite(value)) {
      figures.put(name, SampledFigure.of(value));
    }
  }
}
