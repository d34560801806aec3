package io.millrace.cli.workflow;

import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.migration.DagmanFile;
import io.millrace.cli.migration.ImportFindings;
import io.millrace.cli.migration.ImportedWorkflow;
import io.millrace.cli.migration.WfFormatFile;
import io.millrace.cli.migration.WorkflowYaml;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.workflow.StepTimes.TimesByStep;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = "Converts a graph of HTCondor DAGMan or WfCommons, and submits it.",
    footer = {
      "",
      "Examples:",
      "  millrace workflow import --from dagman diamond.dag > diamond.yaml",
      "  millrace workflow import --from dagman diamond.dag --submit --run-key 2026-03-01",
      "  millrace workflow import --from wfformat montage.json --factor 0.1 --submit --wait",
      "",
      "Without --submit it prints a file for 'millrace workflow submit -f'; --run-key, --resume,",
      "--allow-infeasible and --wait require --submit. What Millrace does not do is listed on",
      "stderr, one line for each kind; what would change the meaning is refused, with all problems",
      "at once. With --wait, the exit code is 0 if the workflow succeeded, 1 if not, and 124 if",
      "--timeout expired; 120 to 125 are errors of the command itself. Ctrl-C leaves the workflow",
      "running."
    })
final class WorkflowImportCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "FILE", description = "File of the other system.")
  private Path file;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "FORMAT",
      description = "Format of the file: dagman or wfformat (required).")
  private ForeignFormat from;

  @Option(
      names = "--factor",
      paramLabel = "F",
      description =
          "With wfformat: replace each command by a sleep of its recorded time multiplied by F.")
  private Double factor;

  @Option(
      names = "--no-rescue",
      description = "With dagman: run also what the newest rescue DAG says is done.")
  private boolean noRescue;

  @Option(names = "--submit", description = "Submit the workflow instead of printing it.")
  private boolean submit;

  @Mixin private RunKey runKey;

  @Mixin private SubmissionOptions options;

  WorkflowImportCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    if (options.waits()) {
      invocation.exitAsJob();
    }
    check();
    ImportFindings findings = new ImportFindings();
    ImportedWorkflow workflow =
        switch (from) {
          case DAGMAN ->
              new DagmanFile(invocation.environment()::get, !noRescue, findings).read(file);
          case WFFORMAT -> new WfFormatFile(factor, findings).read(file);
        };
    findings.notes().forEach(note -> invocation.note(Escaping.text(note)));
    findings.refuse();
    if (!submit) {
      print(workflow);
      return ExitCode.OK.code();
    }
    return new WorkflowSubmitter(invocation, options)
        .submit(workflow.graph(), runKey.value(), ended -> report(workflow, ended));
  }

  private void check() {
    OptionRefusal.unless(runKey.value() == null || submit, "--run-key", "requires --submit");
    if (!submit) {
      options.refuseWithout("--submit");
    }
    options.check();
    OptionRefusal.unless(
        submit || !invocation.json(), "--json", "requires --submit; without it, YAML is printed");
    OptionRefusal.unless(
        factor == null || from == ForeignFormat.WFFORMAT,
        "--factor",
        "requires --from wfformat: no times are recorded in DAG files");
    OptionRefusal.outside("--factor", factor, 0, 1_000_000);
    OptionRefusal.unless(
        !noRescue || from == ForeignFormat.DAGMAN, "--no-rescue", "requires --from dagman");
  }

  private void print(ImportedWorkflow workflow) throws IOException {
    Writer out =
        new BufferedWriter(
            new OutputStreamWriter(invocation.terminal().out(), StandardCharsets.UTF_8));
    new WorkflowYaml(out).write(workflow);
    out.flush();
    if (invocation.terminal().out().checkError()) {
      throw new IOException("standard output cannot be written");
    }
  }

  private void report(ImportedWorkflow imported, WorkflowView ended) {
    invocation.note(Escaping.text(WorkflowFormatter.ending(ended)));
    ImportedRun run = run(imported, invocation.central().workflows().show(ended.id()));
    invocation.report(run, run.toString());
  }

  private ImportedRun run(ImportedWorkflow imported, WorkflowDetails ended) {
    TimesByStep times = new ListedJobTimes(invocation.central()).of(ended, imported.steps().size());
    int unknown = imported.steps().size() - times.known();
    if (unknown > 0) {
      invocation.note(
          "the times of %s are not known; their order was not checked"
              .formatted(Figures.count(unknown, "step")));
    }
    WorkflowView workflow = ended.workflow();
    boolean both = workflow.startedAt() != null && workflow.endedAt() != null;
    double makespan =
        both ? Duration.between(workflow.startedAt(), workflow.endedAt()).toNanos() / 1e9 : 0;
    return new ImportedRun(
        workflow.progress().steps(),
        workflow.progress().succeeded(),
        rounded(makespan),
        rounded(
            imported.criticalPath(factor == null ? times.seconds() : imported.recordedSeconds())),
        times.violations(imported));
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * 1000) / 1000.0;
  }

  /** Where a file comes from. */
  private enum ForeignFormat {
    DAGMAN,
    WFFORMAT
  }

  /**
   * How a run of an imported workflow went.
   *
   * @param steps all of them
   * @param succeeded those that succeeded
   * @param makespanSeconds from the start of the workflow to its end
   * @param criticalPathSeconds the longest way through its graph: by the times that its steps sleep
   *     with a factor, otherwise by the times that they took
   * @param orderViolations how many times a step started before one that it needs had ended
   */
  private record ImportedRun(
      int steps,
      int succeeded,
      double makespanSeconds,
      double criticalPathSeconds,
      int orderViolations) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s of %s succeeded in %.3f s; the critical path takes %.3f s; %s of order",
          Figures.count(succeeded),
          Figures.count(steps, "step"),
          makespanSeconds,
          criticalPathSeconds,
          Figures.count(orderViolations, "violation"));
    }
  }
}
