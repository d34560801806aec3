package io.millrace.cli.workflow;

import io.millrace.api.MillraceException;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.InterruptHooks.Registration;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "submit",
    description = "Submits a workflow, or continues or resumes the same one.",
    footer = {
      "",
      "Examples:",
      "  millrace workflow submit -f nightly.yaml --arg night=2026-03-01 --run-key 2026-03-01",
      "  millrace workflow submit -f nightly.yaml --dry-run",
      "  ./graph.sh | millrace workflow submit -f - --wait",
      "  millrace workflow submit -f study.yaml --steps steps.ndjson",
      "",
      "A workflow is recognised by its owner, name, run key, arguments and steps: submitted again,"
          + " it",
      "continues if its submission was interrupted, and resumes if it failed or was cancelled;"
          + " commands",
      "and resources may have changed. One that succeeded is refused: use another --run-key.",
      "With --wait, the exit code is 0 if it succeeded, 1 if not, and 124 if --timeout expired;"
          + " 120 to",
      "125 are errors of the command itself. Ctrl-C leaves the workflow running."
    })
final class WorkflowSubmitCommand implements Callable<Integer> {
  private final Invocation invocation;
  private volatile String onInterrupt = "";

  @Mixin private WorkflowInput input;

  @Option(
      names = "--resume",
      paramLabel = "MODE",
      description =
          "If it is running: hot applies the file to steps that have not started, cold also ends"
              + " those that run and runs them again; without it, a running one is left as it is.")
  private ResumeMode resume;

  @Option(
      names = "--allow-infeasible",
      description = "Submit it even if no node has what some steps ask for; they wait for one.")
  private boolean allowInfeasible;

  @Option(
      names = "--dry-run",
      description = "Check the file and print the numbers of steps; nothing is sent.")
  private boolean dryRun;

  @Option(names = "--wait", description = "Wait until the workflow has ended.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "With --wait: maximum time to wait, such as 5m.")
  private Duration timeout;

  WorkflowSubmitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    if (wait) {
      invocation.exitAsJob();
    }
    OptionRefusal.unless(timeout == null || wait, "--timeout", "requires --wait");
    OptionRefusal.unless(!wait || !dryRun, "--dry-run", "cannot be used with --wait");
    WorkflowGraph graph = input.read(invocation);
    if (allowInfeasible) {
      graph.allowInfeasible();
    }
    if (dryRun) {
      GraphSummary summary = GraphSummary.of(graph, input.runKey());
      invocation.answer(summary, () -> print(summary));
      invocation.note("dry run: nothing was sent");
      return ExitCode.OK.code();
    }
    Registration registration = invocation.hooks().register(() -> invocation.note(onInterrupt));
    try {
      return submit(graph);
    } finally {
      registration.close();
    }
  }

  private int submit(WorkflowGraph graph) {
    onInterrupt = "\nsubmission interrupted; the same command continues it";
    StatusLine status = new StatusLine(invocation.terminal(), invocation.clock());
    WorkflowView workflow;
    try {
      workflow =
          invocation
              .central()
              .workflows()
              .submit(graph, input.runKey(), resume, new ShownSubmission(status));
    } finally {
      status.end();
    }
    onInterrupt =
        "\nworkflow %1$d continues; cancel it with: millrace workflow cancel %1$d"
            .formatted(workflow.id());
    if (workflow.state() == WorkflowState.REFUSED) {
      invocation.answer(workflow, () -> {});
      invocation.note(Escaping.text(WorkflowFormatter.ending(workflow)));
      return ExitCode.FAILED.code();
    }
    if (!wait) {
      invocation.answer(workflow, () -> invocation.line(String.valueOf(workflow.id())));
      invocation.note("follow it with: millrace workflow show " + workflow.id());
      return ExitCode.OK.code();
    }
    WorkflowView ended = new WorkflowAwaiter(invocation, timeout).end(workflow.id());
    invocation.report(ended, WorkflowFormatter.ending(ended));
    return WorkflowAwaiter.exitCode(ended);
  }

  private void print(GraphSummary summary) {
    Table table = new Table(Column.left("TEMPLATE", 60), Column.right("STEPS"));
    summary
        .templates()
        .forEach(
            (template, count) ->
                table.row(
                    template,
                    summary.given().contains(template) ? "up to " + Figures.count(count) : count));
    invocation.print(table, "");
    invocation.line(
        Escaping.text(
            "workflow %s: %s, %s%s"
                .formatted(
                    summary.name(),
                    Figures.count(summary.templates().size(), "template"),
                    summary.given().isEmpty() ? "" : "up to ",
                    Figures.count(summary.steps(), "step"))));
  }

  /**
   * What a file would submit.
   *
   * @param name of the workflow
   * @param templates the number of steps of each; the most, if a step gives a list
   * @param given templates whose list a step gives
   * @param steps all of them
   * @param listedSteps those that are listed one by one
   * @param identity by which it is recognised when it is submitted again
   */
  private record GraphSummary(
      String name,
      Map<String, Integer> templates,
      List<String> given,
      long steps,
      int listedSteps,
      String identity) {
    static GraphSummary of(WorkflowGraph graph, String runKey) {
      return new GraphSummary(
          graph.prepare().name(),
          graph.sizes(),
          graph.templates().stream().filter(graph::isGiven).toList(),
          graph.size(),
          graph.listedSteps(),
          graph.identity(runKey));
    }
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
            "workflow %d was submitted before; it is %s"
                .formatted(workflow.id(), WorkflowFormatter.lowerCase(workflow.state())));
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
