package io.millrace.api.insight;

import io.millrace.api.job.JobView.JobCounts;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import java.time.Instant;
import java.util.List;

/**
 * Everything that the first page shows, at one point in time.
 *
 * @param at by the database's clock
 * @param version of the central manager
 * @param queueNodes by name
 * @param executionNodes by name
 * @param balancers live ones, by name
 * @param queues by name
 * @param jobs submitted jobs by state
 * @param allJobs all jobs, workers and managers included
 * @param alerts what needs an operator's attention; possibly none
 */
public record Overview(
    Instant at,
    String version,
    List<QueueNodeView> queueNodes,
    List<ExecutionNodeView> executionNodes,
    List<BalancerReport> balancers,
    List<QueueView> queues,
    JobCounts jobs,
    JobCounts allJobs,
    List<Alert> alerts) {

  /**
   * Something that needs an operator's attention.
   *
   * @param code stable, such as {@code SILENT_NODE_EVENTS}
   * @param subject the node or queue it is about
   * @param message human-readable: what is wrong, since when, and what to do
   */
  public record Alert(String code, String subject, String message) {}
}
