package io.millrace.cli.workflow;

import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "run",
    description = "Runs a workflow on this machine, without a cluster.",
    footer = {
      "",
      "Examples:",
      "  millrace workflow run -f nightly.yaml --arg night=2026-03-01",
      "  millrace workflow run -f study.yaml --slots 4 --folder study.run",
      "  millrace workflow run -f study.yaml --backend sequential",
      "",
      "Everything runs in this process and below it; nothing is left afterwards. With --folder,"
          + " the",
      "same command continues in that folder: steps that succeeded do not run again. Ctrl-C stops",
      "the steps that run.",
      "The exit code is 0 if the workflow succeeded and 1 if not; 120 to 125 are errors of the",
      "command itself."
    })
final class WorkflowRunCommand implements Callable<Integer> {
  private static final int MAX_SLOTS = 1000;

  private final Invocation invocation;

  @Mixin private WorkflowInput input;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description =
          "Most steps at the same time (default: two per processor, at least 4; one with"
              + " --backend sequential).")
  private Integer slots;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "processes",
      description =
          "Where steps run: processes, sequential, or another backend of the class path (default:"
              + " ${DEFAULT-VALUE}).")
  private String backend;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Keep all data in this folder, to continue there (default: a temporary one).")
  private Path folder;

  WorkflowRunCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    invocation.exitAsJob();
    OptionRefusal.unless(
        slots == null || (slots >= 1 && slots <= MAX_SLOTS), "--slots", "use 1 to " + MAX_SLOTS);
    WorkflowGraph graph = input.read(invocation);
    return new LocalRun(invocation, Optional.ofNullable(folder))
        .run(graph, input.runKey(), backend, slots);
  }
}
