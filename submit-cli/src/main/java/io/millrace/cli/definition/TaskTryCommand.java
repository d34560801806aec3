package io.millrace.cli.definition;

import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace task try}. */
@Command(
    name = "try",
    description = {
      "Runs one worker of a task's definition and shows its output.",
      "It counts for no run of the task; the definition need not be applied."
    },
    footer = {
      "",
      "Examples:",
      "  millrace task try -f cleaner.yaml",
      "  millrace task try -f tasks.yaml cleaner --chunk 17 --node e2",
      "",
      "The exit code is the worker's own, 128 + n for signal n."
    })
public final class TaskTryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The definition; - for the standard input.")
  private Path file;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "The task, when the file has several.")
  private String name;

  @Option(
      names = "--chunk",
      paramLabel = "CHUNK",
      description = "The chunk, or the resource (default: the first).")
  private String chunk;

  @Option(names = "--node", paramLabel = "NAME", description = "The execution node to run on.")
  private String node;

  public TaskTryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    return new TaskTrial(invocation)
        .run(new TrialFile(file, invocation.terminal().in()), name, chunk, node);
  }
}
