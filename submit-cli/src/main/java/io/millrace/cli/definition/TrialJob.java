package io.millrace.cli.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.SubmittedJob;
import java.util.List;

/** Runs a worker once, as a job of its own, and shows its output. */
final class TrialJob {
  private final Invocation invocation;

  TrialJob(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Blocks until it has ended.
   *
   * @param worker as it would be submitted
   * @param node execution node to run on; null for any
   * @return the job's last state
   */
  JobView run(JobSpec worker, String node) throws InterruptedException {
    JobView job = invocation.central().submit(spec(worker, node));
    invocation
        .terminal()
        .note("job " + job.id() + " tries it; why it waits: millrace job explain " + job.id());
    return new SubmittedJob(invocation, job).followToEnd();
  }

  // A trial happens once and by itself, whatever the definition says about the company of others.
  private JobSpec spec(JobSpec worker, String node) {
    JobDraft draft = worker.draft();
    return draft
        .name(worker.name() + ", tried")
        .tags(List.of("try"))
        .retry(RetryPolicy.NONE)
        .requires(node == null ? worker.requires() : on(node, worker.requires()))
        .lane(null)
        .hold(false)
        .notBefore(null)
        .deadline(null)
        .share(null)
        .notification(null)
        .spec();
  }

  private String on(String node, String requires) {
    List<String> names =
        invocation.central().executionNodes().stream().map(ExecutionNodeView::name).toList();
    if (!names.contains(node)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_NODE,
          "there is no execution node " + node + "; there are " + String.join(", ", names));
    }
    String named = "name == \"" + node + "\"";
    return requires == null ? named : "(" + requires + ") && " + named;
  }
}
