package io.millrace.cli.workflow;

import io.millrace.api.MillraceException;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options that name a workflow and what replaces parts of it. */
final class WorkflowInput {
  private static final int LONGEST_KEY = 200;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "Workflow, YAML or JSON; - for standard input (required).")
  private Path file;

  @Option(
      names = "--arg",
      paramLabel = "K=V",
      description = "Value of an argument, instead of that in the file; may be repeated.")
  private final Map<String, String> arguments = new LinkedHashMap<>();

  @Option(
      names = "--resources",
      paramLabel = "FILE",
      description = "Requests that replace those of templates; see 'workflow resources'.")
  private Path resources;

  @Option(
      names = "--steps",
      paramLabel = "FILE",
      description = "Listed steps besides those of the workflow, one JSON object on each line.")
  private Path steps;

  @Option(
      names = "--run-key",
      paramLabel = "KEY",
      description = "Distinguishes runs of the same workflow, such as a date.")
  private String runKey;

  /**
   * The graph of the workflow.
   *
   * @throws MillraceException INVALID_REQUEST with what is wrong with it or with the options
   */
  WorkflowGraph read(Invocation invocation) {
    OptionRefusal.unless(
        runKey == null || (!runKey.isBlank() && runKey.length() <= LONGEST_KEY),
        "--run-key",
        "use 1 to " + LONGEST_KEY + " characters");
    return new WorkflowFile(file, invocation.terminal().in())
        .read(arguments, resources == null ? null : new ResourcesFile(resources), steps);
  }

  /** Null for none. */
  String runKey() {
    return runKey;
  }
}
