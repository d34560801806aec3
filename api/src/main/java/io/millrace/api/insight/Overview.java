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
   * @param message human-readable: what is wrong, and what to do
   * @param severity how much it matters; null for that of the code
   * @param since when it began, by the database's clock; null if only its first sight is known
   * @param silence why it is neither sent on nor counted for a while; null if it is
   */
  public record Alert(
      String code,
      String subject,
      String message,
      ProblemSeverity severity,
      Instant since,
      ProblemSilence silence) {
    public Alert {
      severity =
          severity == null
              ? ProblemCode.named(code).map(ProblemCode::severity).orElse(ProblemSeverity.WARNING)
              : severity;
    }

    /** A problem as it is found, with the severity of its code. */
    public Alert(String code, String subject, String message) {
      this(code, subject, message, null, null, null);
    }

    /** The same with its begin. */
    public Alert since(Instant began) {
      return new Alert(code, subject, message, severity, began, silence);
    }

    /** The same with its begin and its silence, which may be null. */
    public Alert with(Instant began, ProblemSilence silencedBy) {
      return new Alert(code, subject, message, severity, began, silencedBy);
    }
  }
}
