package io.millrace.manager.insight;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.job.JobTotals;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Everything the first page shows. Asked by many, it is put together at most once a second.
 * Thread-safe; blocks on the database.
 */
public final class OverviewService {
  private static final long KEPT_NANOS = Duration.ofMillis(900).toNanos();

  private record Kept(Overview overview, long nanos) {}

  private final Database database;
  private final String version;
  private final QueueNodes queueNodes;
  private final Supplier<List<ExecutionNodeView>> executionNodes;
  private final LoadBalancers balancers;
  private final QueueCatalog queues;
  private final JobTotals jobs;
  private final Supplier<List<Alert>> problems;
  private final Clock clock;
  // Guarded by this.
  private Kept kept;

  /**
   * An overview of this cluster.
   *
   * @param version of the central manager
   * @param problems what else an operator should look at, besides queues and their nodes
   */
  public OverviewService(
      Database database,
      String version,
      QueueNodes queueNodes,
      Supplier<List<ExecutionNodeView>> executionNodes,
      LoadBalancers balancers,
      QueueCatalog queues,
      JobTotals jobs,
      Supplier<List<Alert>> problems,
      Clock clock) {
    this.database = database;
    this.version = version;
    this.queueNodes = queueNodes;
    this.executionNodes = executionNodes;
    this.balancers = balancers;
    this.queues = queues;
    this.jobs = jobs;
    this.problems = problems;
    this.clock = clock;
  }

  /** The overview, less than a second old. Those who come while it is put together wait for it. */
  public synchronized Overview overview() {
    if (kept == null || clock.nanoTime() - kept.nanos >= KEPT_NANOS) {
      kept = new Kept(assemble(), clock.nanoTime());
    }
    return kept.overview;
  }

  private Overview assemble() {
    List<QueueNodeView> nodes = queueNodes.all();
    List<QueueView> views = queues.views(nodes);
    Instant now = database.now();
    return new Overview(
        now,
        version,
        nodes,
        executionNodes.get(),
        balancers.live(),
        views,
        jobs.submitted(),
        jobs.all(),
        alerts(nodes, views, now));
  }

  private List<Alert> alerts(List<QueueNodeView> nodes, List<QueueView> views, Instant now) {
    List<Alert> all = new ArrayList<>(QueueProblems.of(nodes, views, now));
    all.addAll(problems.get());
    return List.copyOf(all);
  }
}
