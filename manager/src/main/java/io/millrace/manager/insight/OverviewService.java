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
import java.util.function.UnaryOperator;

/**
 * The content of the first page. It is assembled at most once a second, however often requested.
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
  private final UnaryOperator<List<Alert>> dated;
  private final Clock clock;
  // Guarded by this.
  private Kept kept;

  /**
   * Creates the service.
   *
   * @param version version of the central manager
   * @param problems problems other than those of queues and queue nodes
   * @param dated adds to problems when they began and whether they are silenced
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
      UnaryOperator<List<Alert>> dated,
      Clock clock) {
    this.database = database;
    this.version = version;
    this.queueNodes = queueNodes;
    this.executionNodes = executionNodes;
    this.balancers = balancers;
    this.queues = queues;
    this.jobs = jobs;
    this.problems = problems;
    this.dated = dated;
    this.clock = clock;
  }

  /** The overview, less than a second old. Concurrent callers wait while it is assembled. */
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
    all.addAll(SessionProblems.of(nodes, views, now));
    all.addAll(NodeProblems.balancers(balancers.lost(), now));
    all.addAll(problems.get());
    return dated.apply(all);
  }
}
