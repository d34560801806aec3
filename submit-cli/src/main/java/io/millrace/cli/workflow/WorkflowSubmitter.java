package io.millrace.cli.workflow;

import io.millrace.api.MillraceException;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.InterruptHooks.Registration;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import java.time.Duration;
import java.util.function.Consumer;

/** Submits a workflow for a command, and waits for its end if that is wanted. Used once. */
final class WorkflowSubmitter {
  private final Invocation invocation;
  private final SubmissionOptions options;
  private volatile String onInterrupt = "\nsubmission interrupted; the same command continues it";

  WorkflowSubmitter(Invocation invocation, SubmissionOptions options) {
    this.invocation = invocation;
    this.options = options;
  }

  /**
   * Blocks until it is submitted or, with {@code --wait}, has ended; returns the exit code.
   *
   * @param runKey null for none
   * @param ending prints a workflow that has ended
   */
  int submit(WorkflowGraph graph, String runKey, Consumer<WorkflowView> ending) {
    if (options.allowsInfeasible()) {
      graph.allowInfeasible();
    }
    Registration registration = invocation.hooks().register(() -> invocation.note(onInterrupt));
    try {
      return followed(submitted(graph, runKey), ending);
    } finally {
      registration.close();
    }
  }

  private WorkflowView submitted(WorkflowGraph graph, String runKey) {
    StatusLine status = new StatusLine(invocation.terminal(), invocation.clock());
    try {
      return invocation
          .central()
          .workflows()
          .submit(graph, runKey, options.resume(), new ShownSubmission(status));
    } finally {
      status.end();
    }
  }

  private int followed(WorkflowView workflow, Consumer<WorkflowView> ending) {
    onInterrupt =
        "\nworkflow %1$d continues; cancel it with: millrace workflow cancel %1$d"
            .formatted(workflow.id());
    if (workflow.state() == WorkflowState.REFUSED) {
      invocation.answer(workflow, () -> {});
      invocation.note(Escaping.text(WorkflowFormatter.ending(workflow)));
      return ExitCode.FAILED.code();
    }
    if (!options.waits()) {
      invocation.answer(workflow, () -> invocation.line(String.valueOf(workflow.id())));
      invocation.note("follow it with: millrace workflow show " + workflow.id());
      return ExitCode.OK.code();
    }
    WorkflowView ended = new WorkflowAwaiter(invocation, options.timeout()).end(workflow.id());
    ending.accept(ended.withOutcome(workflow.outcome()));
    return WorkflowAwaiter.exitCode(ended);
  }

  /** Says on stderr how a submission proceeds. */
  private final class ShownSubmission implements SubmissionListener {
    private final StatusLine status;

    ShownSubmission(StatusLine status) {
      this.status = status;
    }

    @Override
    public void opened(WorkflowView workflow, boolean created) {
      if (!created) {
        invocation.note(
            "workflow %d was submitted before; %s"
                .formatted(workflow.id(), WorkflowFormatter.outcome(workflow)));
      }
    }

    @Override
    public void bound(WorkflowView workflow, int listed) {
      if (listed > StepChunk.MAX) {
        status.show(
            "workflow %d: %s of %s sent"
                .formatted(
                    workflow.id(),
                    Figures.count(workflow.progress().bound()),
                    Figures.count(listed, "listed step")));
      }
    }

    @Override
    public void unanswered(MillraceException failure, Duration pause) {
      invocation.note(WorkflowAwaiter.unanswered(failure, pause));
    }
  }
}
