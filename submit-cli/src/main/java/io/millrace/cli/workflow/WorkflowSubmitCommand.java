package io.millrace.cli.workflow;

import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.workflow.WorkflowRules;
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
  // What only the central managers know.
  private static final List<String> NOT_CHECKED =
      List.of(
          "whether nodes have what the steps ask for",
          "whether a webhook may be called",
          "whether the same workflow has been submitted before");

  private final Invocation invocation;

  @Mixin private WorkflowInput input;

  @Mixin private SubmissionOptions options;

  @Option(
      names = "--dry-run",
      description =
          "Check the file, cycles included, and print the numbers of steps; nothing is sent.")
  private boolean dryRun;

  WorkflowSubmitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    if (options.waits()) {
      invocation.exitAsJob();
    }
    options.check();
    if (dryRun) {
      options.refuseWith("--dry-run");
      return check();
    }
    return new WorkflowSubmitter(invocation, options)
        .submit(
            input.read(invocation),
            input.runKey(),
            ended -> invocation.report(ended, WorkflowFormatter.ending(ended)));
  }

  private int check() {
    // What a central manager would refuse, of which cycles take longest.
    WorkflowGraph graph =
        input.read(invocation, read -> WorkflowRules.problems(read, WebhookRule.ANY));
    GraphSummary summary = GraphSummary.of(graph, input.runKey());
    invocation.answer(summary, () -> print(summary));
    invocation.note("dry run: nothing was sent");
    invocation.note("not checked: " + String.join("; ", NOT_CHECKED));
    return ExitCode.OK.code();
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
   * @param notChecked what only a submission finds out
   */
  private record GraphSummary(
      String name,
      Map<String, Integer> templates,
      List<String> given,
      long steps,
      int listedSteps,
      String identity,
      List<String> notChecked) {
    static GraphSummary of(WorkflowGraph graph, String runKey) {
      return new GraphSummary(
          graph.prepare().name(),
          graph.sizes(),
          graph.templates().stream().filter(graph::isGiven).toList(),
          graph.size(),
          graph.listedSteps(),
          graph.identity(runKey),
          NOT_CHECKED);
    }
  }
}
